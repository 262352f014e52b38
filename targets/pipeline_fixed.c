#define FIXED
#include "pipeline.c"
