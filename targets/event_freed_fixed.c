#define FIXED
#include "event_freed.c"
