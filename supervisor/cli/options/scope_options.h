/* scope_options.h - makes the scope of a campaign (import/scope.h) from --only, --skip and --changed. */
#ifndef RFS_SCOPE_OPTIONS_H
#define RFS_SCOPE_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

struct rfs_options;
struct rfs_scope;

/* Reads the changes by git diff in the working directory. 0, or -errno and a line in why. Release *out in any case. */
int rfs_scope_of_options(const struct rfs_options *options, struct rfs_scope *out, char *why, size_t n)
	__attribute__((warn_unused_result));
/* Adds the lines that a unified diff shows of the new files. */
void rfs_scope_add_diff(struct rfs_scope *scope, FILE *diff);

#endif
