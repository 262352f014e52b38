#define FIXED
#include "faults_short.c"
