#define FIXED 1
#include "fork_workers.c"
