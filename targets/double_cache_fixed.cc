#define FIXED
#include "double_cache.cc"
