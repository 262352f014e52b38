#define FIXED
#include "order_close_twice.c"
