#define FIXED
#include "atomicity_lazy.c"
