#define FIXED 1
#include "fork_across.c"
