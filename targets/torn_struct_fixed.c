#define FIXED
#include "torn_struct.c"
