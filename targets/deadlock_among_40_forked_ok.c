#define FORKED
#include "deadlock_among_40.c"
