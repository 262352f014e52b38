/* plugin.h - finds a policy by its name, or loads it from a shared object (rfsup-policy(7)). */
#ifndef RFS_PLUGIN_H
#define RFS_PLUGIN_H

#include <stddef.h>

struct rfs_policy_ops;

/* Finds the policy called name. If name contains a slash: loads that shared object, which stays loaded, and takes its
 * table rfs_policy. *path: name if it is a path, otherwise NULL. 0, or -EINVAL or -ENOENT and a line in why. */
int rfs_policy_load(const char *name, const struct rfs_policy_ops **out, const char **path, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
