#define FIXED
#include "double_range.c"
