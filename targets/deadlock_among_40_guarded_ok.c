#define GUARDED
#include "deadlock_among_40.c"
