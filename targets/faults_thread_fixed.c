#define FIXED
#include "faults_thread.c"
