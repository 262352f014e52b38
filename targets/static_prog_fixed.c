#define FIXED
#include "static_prog.c"
