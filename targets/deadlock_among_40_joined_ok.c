#define JOINED
#include "deadlock_among_40.c"
