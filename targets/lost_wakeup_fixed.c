#define FIXED
#include "lost_wakeup.c"
