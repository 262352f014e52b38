#define FIXED
#include "tso_peterson.c"
