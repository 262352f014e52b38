/* order_output_cxx.cc - the same program as C++. */
#include "order_output.c"
