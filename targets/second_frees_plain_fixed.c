#define FIXED
#include "second_frees.c"
