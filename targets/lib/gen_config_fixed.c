#define FIXED
#include "gen_config.c"
