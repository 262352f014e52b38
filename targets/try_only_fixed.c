#define FIXED
#include "try_only.c"
