/* hints_apply.h - replaces what rfsup has guessed of a library by what the user's hints say. */
#ifndef RFS_LIBRARY_HINTS_APPLY_H
#define RFS_LIBRARY_HINTS_APPLY_H

#include <stddef.h>

struct rfs_library_hints;
struct rfs_library;

/*
 * The library borrows strings of the hints. Returns 0, or -EINVAL and a line in why: the place of a hint that does not
 * fit the library, and what to do.
 */
int rfs_hints_apply(const struct rfs_library_hints *hints, struct rfs_library *library, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
