#define FIXED
#include "rapos_figure1.c"
