#define FIXED
#include "gen_counter.c"
