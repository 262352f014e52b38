#define FIXED
#include "lock_overwritten.c"
