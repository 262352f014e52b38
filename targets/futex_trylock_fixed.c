#define FIXED
#include "futex_trylock.c"
