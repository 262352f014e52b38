#define FIXED
#include "annotated_rwlock.c"
