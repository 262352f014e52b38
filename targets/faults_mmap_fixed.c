#define FIXED
#include "faults_mmap.c"
