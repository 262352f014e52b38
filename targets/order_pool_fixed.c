#define FIXED
#include "order_pool.c"
