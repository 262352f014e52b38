#define FIXED
#include "misuse_stack.c"
