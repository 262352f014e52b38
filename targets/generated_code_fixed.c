#define FIXED
#include "generated_code.c"
