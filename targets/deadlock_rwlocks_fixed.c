#define FIXED
#include "deadlock_rwlocks.c"
