/* suppressions_files.h - reads the files of --suppressions, and rfsup's own one. */
#ifndef RFS_SUPPRESSIONS_FILES_H
#define RFS_SUPPRESSIONS_FILES_H

#include <stddef.h>

struct rfs_options;
struct rfs_suppressions;

/* The user's files come first, so they are counted first. 0, or -errno and a line in why. Free *out in any case. */
int rfs_suppressions_read(const struct rfs_options *options, struct rfs_suppressions *out, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
