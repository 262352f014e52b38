#define PLAIN_FLAG
#include "second_frees.c"
