#define FIXED
#include "debug_order.c"
