#define FIXED
#include "deadlock_pipes.c"
