#define FIXED 1
#include "fork_suspended.c"
