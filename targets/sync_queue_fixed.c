#define FIXED
#include "sync_queue.c"
