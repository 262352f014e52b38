#define FIXED
#include "atomicity_length.c"
