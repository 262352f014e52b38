#define FIXED
#include "atomicity_queue.c"
