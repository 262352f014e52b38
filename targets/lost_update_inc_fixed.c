#define FIXED
#include "lost_update_inc.c"
