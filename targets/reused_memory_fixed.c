/* reused_memory_fixed: the same code, apart from the fix. It is silent. */
#define FIXED
#include "reused_memory.c"
