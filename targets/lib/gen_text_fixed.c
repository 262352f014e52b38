#define FIXED
#include "gen_text.c"
