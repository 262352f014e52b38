#define FIXED
#include "faults_wakeup.c"
