#define FIXED
#include "futex_abba.c"
