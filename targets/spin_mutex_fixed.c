#define FIXED
#include "spin_mutex.c"
