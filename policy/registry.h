/* registry.h - the built-in policies and detectors, by name. */
#ifndef RFS_POLICY_REGISTRY_H
#define RFS_POLICY_REGISTRY_H

struct rfs_detector_ops;
struct rfs_policy_ops;

/* NULL if there is no such name. */
const struct rfs_policy_ops *rfs_policy_find(const char *name);
const struct rfs_detector_ops *rfs_detector_find(const char *name);
/* Lists end with NULL and are never freed. */
const struct rfs_policy_ops *const *rfs_policy_list(void);
const struct rfs_detector_ops *const *rfs_detector_list(void);

#endif
