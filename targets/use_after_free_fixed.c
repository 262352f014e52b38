#define FIXED
#include "use_after_free.c"
