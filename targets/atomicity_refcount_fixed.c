#define FIXED
#include "atomicity_refcount.c"
