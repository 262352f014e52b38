#define FIXED
#include "abba.c"
