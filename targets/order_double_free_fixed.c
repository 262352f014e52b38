#define FIXED
#include "order_double_free.c"
