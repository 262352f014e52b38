#define FIXED
#include "order_notify.c"
