#define FIXED
#include "rwlock_mode.c"
