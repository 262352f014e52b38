#define FIXED
#include "handler_lock.c"
