#define FIXED
#include "self_deadlock.c"
