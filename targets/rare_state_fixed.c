#define FIXED
#include "rare_state.c"
