#define FIXED
#include "gen_registry.c"
