#define FIXED
#include "deadlock_semaphores.c"
