#define FIXED 1
#include "fork_grandchild.c"
