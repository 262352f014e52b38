#define FIXED
#include "spin_held.c"
