#define FIXED
#include "resized_in_use.c"
