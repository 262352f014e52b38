#define FIXED
#include "order_signal.c"
