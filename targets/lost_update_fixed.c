#define FIXED
#include "lost_update.c"
