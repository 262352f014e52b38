#define FIXED
#include "double_setters.c"
