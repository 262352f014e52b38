#define FIXED 1
#include "pshared_lost.c"
