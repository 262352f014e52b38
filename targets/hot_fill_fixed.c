#define FIXED
#include "hot_fill.c"
