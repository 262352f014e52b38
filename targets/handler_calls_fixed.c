#define FIXED
#include "handler_calls.c"
