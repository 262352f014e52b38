#define FIXED
#include "deadlock_ring_5.c"
