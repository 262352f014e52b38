/* atomic_owner_fixed: the same code in one critical section. It is silent. */
#define FIXED
#include "atomic_owner.c"
