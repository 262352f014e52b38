#define FIXED 1
#include "fork_stuck.c"
