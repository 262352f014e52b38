#define FIXED
#include "gen_queue.c"
