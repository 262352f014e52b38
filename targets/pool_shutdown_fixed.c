#define FIXED
#include "pool_shutdown.c"
