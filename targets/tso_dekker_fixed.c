#define FIXED
#include "tso_dekker.c"
