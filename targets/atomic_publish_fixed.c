/* atomic_publish_fixed: a writer hands over data with release stores and acquire loads. Some are builtins of the
 * compiler on a plain int, one is behind a macro, and some access a member of type _Atomic. All are plain `mov`
 * instructions. */
#define FIXED
#include "atomic_publish.c"
