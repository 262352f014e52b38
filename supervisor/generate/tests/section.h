/*
 * section.h - calls of methods in one section of a test. A thread that locks something also unlocks it, and it waits at
 * a condition only while it holds the lock: otherwise the mistake is the test's, not the library's.
 */
#ifndef RFS_SECTION_H
#define RFS_SECTION_H

#include <stdbool.h>

#include "supervisor/generate/tests/sequence.h"

struct rfs_generator;
struct rfs_library_type;

/* Adds a lock to the prefix for each type of lock with which methods of this type wait. */
void rfs_section_add_locks(struct rfs_generator *generator, struct rfs_sequence *sequence,
			   const struct rfs_library_type *type);
/*
 * Adds about n calls of methods on the object. After a call that ends the life of the object, no method works. So if
 * nothing works after a call, it is dropped. Returns whether a call was added.
 */
bool rfs_section_add_calls(struct rfs_generator *generator, struct rfs_sequence *sequence, enum rfs_section section,
			   const struct rfs_library_type *type, int object, int n);

#endif
