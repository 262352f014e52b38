#define FIXED
#include "faults_malloc.c"
