#define FIXED
#include "gen_slots.c"
