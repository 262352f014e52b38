#define FIXED
#include "library_data.c"
