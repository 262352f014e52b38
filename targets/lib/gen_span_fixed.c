#define FIXED
#include "gen_span.c"
