#define FIXED
#include "guard_mutex.c"
