#define FIXED
#include "append_after_seek.c"
