#define FIXED
#include "listed_while_read.c"
