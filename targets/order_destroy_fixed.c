#define FIXED
#include "order_destroy.c"
