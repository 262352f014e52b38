#define FIXED
#include "exists_then_created.c"
