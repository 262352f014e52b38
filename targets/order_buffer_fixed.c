#define FIXED
#include "order_buffer.c"
