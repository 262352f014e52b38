#define FIXED
#include "atomicity_split.c"
