/* untested.h - why a type has no tests. */
#ifndef RFS_UNTESTED_H
#define RFS_UNTESTED_H

struct rfs_library;
struct rfs_tried_methods;
struct rfs_type_result;

/* One line: why no object could be made, or why no method runs. NULL: the type has tests. Caller frees. */
char *rfs_untested_why(const struct rfs_library *library, const struct rfs_tried_methods *tried,
		       const struct rfs_type_result *type);

#endif
