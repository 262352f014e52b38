#define FIXED
#include "dlopen_lib.c"
