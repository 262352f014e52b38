#define FIXED
#include "tso_seqlock.c"
