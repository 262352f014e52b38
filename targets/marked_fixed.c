#define FIXED
#include "marked.c"
