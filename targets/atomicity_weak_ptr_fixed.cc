#define FIXED
#include "atomicity_weak_ptr.cc"
