#define FIXED
#include "deadlock_among_40.c"
