/* plugin.h - finds a built-in policy by its name, or loads a policy from a shared object (rfsup-policy(7)). */
#ifndef RFS_PLUGIN_H
#define RFS_PLUGIN_H

#include <stddef.h>

struct rfs_policy_ops;

/*
 * Finds a policy. name: the name of a built-in policy, or the path of a shared object, which must contain a slash. The
 * object is loaded and stays loaded; its table rfs_policy is the policy. *path is set to `name` if `name` is a path,
 * otherwise to NULL. 0, or -EINVAL or -ENOENT and a line in why.
 */
int rfs_policy_load(const char *name, const struct rfs_policy_ops **out, const char **path, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
