#define FIXED
#include "gen_pool.c"
