#define FIXED
#include "atomicity_log.c"
