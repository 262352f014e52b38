#define FIXED
#include "order_deadline.c"
