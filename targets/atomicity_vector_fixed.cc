#define FIXED
#include "atomicity_vector.cc"
