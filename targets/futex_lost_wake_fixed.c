#define FIXED
#include "futex_lost_wake.c"
