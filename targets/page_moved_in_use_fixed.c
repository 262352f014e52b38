#define FIXED
#include "page_moved_in_use.c"
