#define FIXED
#include "misuse.c"
