#define FIXED
#include "sync_ptr_array.c"
