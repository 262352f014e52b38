#define FIXED
#include "file_checked_then_used.c"
