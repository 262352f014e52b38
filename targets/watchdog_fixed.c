#define FIXED
#include "watchdog.c"
