#define FIXED
#include "always_fails_freed.c"
