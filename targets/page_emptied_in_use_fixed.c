#define FIXED
#include "page_emptied_in_use.c"
