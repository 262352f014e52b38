/* plugin.c - dlopen(3), and the check that the object has the table of this version. */
#include "supervisor/base/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/error.h"

int rfs_policy_load(const char *name, const struct rfs_policy_ops **out, const char **path, char *why, size_t n)
{
	const struct rfs_policy_ops *policy;
	void *object;

	*path = NULL;
	if (!strchr(name, '/')) {
		*out = rfs_policy_find(name);
		return *out ? 0 : rfs_why(why, n, -ENOENT, "unknown policy '%s'; see rfsup --list-policies", name);
	}
	object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		return rfs_why(why, n, -EINVAL, "cannot load policy '%s': %s", name, dlerror());
	policy = dlsym(object, "rfs_policy");
	if (!policy)
		return rfs_why(why, n, -EINVAL, "'%s' does not export a table named rfs_policy; see rfsup-policy(7)",
			       name);
	if (policy->abi != RFS_POLICY_ABI)
		return rfs_why(why, n, -EINVAL,
			       "'%s' was built for version %u of policy.h, but this rfsup needs version %u; rebuild it",
			       name, policy->abi, RFS_POLICY_ABI);
	if (!policy->name || !policy->init || !policy->pick)
		return rfs_why(why, n, -EINVAL, "the table rfs_policy of '%s' must set name, init and pick", name);
	*out = policy;
	*path = name;
	return 0;
}
