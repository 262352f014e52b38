#define FIXED
#include "gen_feed.c"
