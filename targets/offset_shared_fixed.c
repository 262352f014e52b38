#define FIXED
#include "offset_shared.c"
