#define FIXED
#include "deadlock_behind_writers.c"
