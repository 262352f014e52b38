/* scope_names.h - finds patterns of --only and --skip that name nothing in the program. */
#ifndef RFS_SCOPE_NAMES_H
#define RFS_SCOPE_NAMES_H

#include <stddef.h>

struct rfs_campaign;
struct rfs_run_result;

/* Searches the modules of a run. 0, or -ENOENT and a line in why that names what is near. */
int rfs_scope_names_check(struct rfs_campaign *c, const struct rfs_run_result *result, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
