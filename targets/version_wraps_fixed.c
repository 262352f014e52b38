/* version_wraps_fixed: the version has 64 bits. It is silent. */
#define FIXED
#include "version_wraps.c"
