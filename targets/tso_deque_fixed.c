#define FIXED
#include "tso_deque.c"
