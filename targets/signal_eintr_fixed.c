#define FIXED
#include "signal_eintr.c"
