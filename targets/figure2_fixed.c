#define FIXED
#include "figure2.c"
