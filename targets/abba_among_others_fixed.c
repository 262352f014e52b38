#define FIXED
#include "abba_among_others.c"
