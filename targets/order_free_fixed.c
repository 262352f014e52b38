#define FIXED
#include "order_free.c"
