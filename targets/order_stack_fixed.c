#define FIXED
#include "order_stack.c"
