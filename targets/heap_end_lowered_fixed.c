#define FIXED
#include "heap_end_lowered.c"
