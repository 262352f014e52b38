#define FIXED
#include "deadlock_condition.c"
