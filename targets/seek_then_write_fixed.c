#define FIXED
#include "seek_then_write.c"
