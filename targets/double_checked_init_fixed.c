#define FIXED
#include "double_checked_init.c"
