#define FIXED
#include "sleepers.c"
