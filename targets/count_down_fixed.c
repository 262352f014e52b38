#define FIXED
#include "count_down.c"
