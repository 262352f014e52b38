#define FIXED
#include "double_closed.c"
