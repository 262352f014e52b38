/* plugin.h - policies by name, and policies that come from a shared object (rfsup-policy(7)). */
#ifndef RFS_PLUGIN_H
#define RFS_PLUGIN_H

#include <stddef.h>

struct rfs_policy_ops;

/*
 * The policy of that name or, where name holds a slash, the table rfs_policy of that shared object, which stays loaded.
 * *path: name where it is a path, else NULL. 0, or -EINVAL or -ENOENT and a line in why.
 */
int rfs_policy_load(const char *name, const struct rfs_policy_ops **out, const char **path, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
