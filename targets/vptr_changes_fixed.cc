#define FIXED
#include "vptr_changes.cc"
