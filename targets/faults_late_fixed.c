#define FIXED
#include "faults_late.c"
