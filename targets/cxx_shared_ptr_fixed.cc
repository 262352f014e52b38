#define FIXED
#include "cxx_shared_ptr.cc"
