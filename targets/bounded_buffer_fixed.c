#define FIXED
#include "bounded_buffer.c"
