#define FIXED
#include "atomicity_map.cc"
