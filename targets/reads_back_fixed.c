#define FIXED
#include "reads_back.c"
