#define FIXED
#include "faults_eintr.c"
