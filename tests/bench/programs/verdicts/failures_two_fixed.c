/* The same without the mistakes. */
#define FIXED
#include "failures_two.c"
