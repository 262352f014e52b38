#define FIXED
#include "order_close.c"
