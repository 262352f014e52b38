#define FIXED
#include "gen_cache.c"
