#define FIXED 1
#include "fork_daemon.c"
