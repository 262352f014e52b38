#define FIXED 1
#include "fork_shared.c"
