#define FIXED
#include "order_handler.c"
