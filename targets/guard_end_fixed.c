#define FIXED
#include "guard_end.c"
