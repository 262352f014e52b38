#define FIXED
#include "drfinder_figure2.c"
