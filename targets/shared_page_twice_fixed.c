#define FIXED
#include "shared_page_twice.c"
