#define FIXED 1
#include "fork_exec_self.c"
