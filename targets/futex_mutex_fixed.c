#define FIXED
#include "futex_mutex.c"
