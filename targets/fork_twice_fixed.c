#define FIXED 1
#include "fork_twice.c"
