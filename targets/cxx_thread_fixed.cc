#define FIXED
#include "cxx_thread.cc"
