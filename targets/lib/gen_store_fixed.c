#define FIXED
#include "gen_store.c"
