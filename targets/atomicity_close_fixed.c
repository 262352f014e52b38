#define FIXED
#include "atomicity_close.c"
