#define FIXED
#include "lost_updates.c"
