#define FIXED
#include "gen_latch.c"
