#define FIXED
#include "figure1.c"
