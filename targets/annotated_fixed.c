#define FIXED
#include "annotated.c"
