#define FIXED
#include "gen_table.c"
