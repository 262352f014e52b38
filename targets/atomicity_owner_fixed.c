#define FIXED
#include "atomicity_owner.c"
