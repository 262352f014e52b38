#define FIXED
#include "gen_desk.c"
