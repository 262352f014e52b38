#define FIXED
#include "order_reuse.c"
