/* buffers_fixed: a reader hands its buffers to the C library and to system calls, and a writer changes them under the
 * same mutex. */
#define FIXED
#include "buffers.c"
