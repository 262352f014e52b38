#define FIXED
#include "faults_abort.c"
