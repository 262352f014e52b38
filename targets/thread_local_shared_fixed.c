/* thread_local_shared_fixed: a thread passes on the address of its thread-local counter. Both threads change it under a
 * mutex. */
#define FIXED
#include "thread_local_shared.c"
