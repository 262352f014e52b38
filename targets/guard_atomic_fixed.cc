#define FIXED
#include "guard_atomic.cc"
