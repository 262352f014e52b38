#define FIXED 1
#include "fork_result.c"
