#define FIXED
#include "debug_counter.c"
