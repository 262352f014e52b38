#define FIXED
#include "order_violation.c"
