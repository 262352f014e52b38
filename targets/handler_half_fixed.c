#define FIXED
#include "handler_half.c"
