#define FIXED
#include "check_then_act.c"
