#define FIXED
#include "handler_count.c"
