#define FIXED
#include "deadlock_spin.c"
