#define FIXED
#include "event_stop_first.c"
