#define FIXED
#include "order_connection.c"
