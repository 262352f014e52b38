#define FIXED
#include "page_unmapped_in_use.c"
