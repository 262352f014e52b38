#define FIXED
#include "three_lock.c"
