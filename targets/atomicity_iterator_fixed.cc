#define FIXED
#include "atomicity_iterator.cc"
