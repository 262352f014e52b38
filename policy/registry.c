/* registry.c - the list of built-in policies and detectors. A new one needs its line here. */
#include "policy/registry.h"

#include <string.h>

#include "policy/builtin.h"

static const struct rfs_policy_ops *const policies[] = {
	&rfs_policy_racefuzzer,
	&rfs_policy_random,
	&rfs_policy_rapos,
	&rfs_policy_pct,
	&rfs_policy_pos,
	&rfs_policy_surw,
	&rfs_policy_drfinder,
	&rfs_policy_atom,
	&rfs_policy_delay,
	&rfs_policy_sweep,
	&rfs_policy_dpor,
	&rfs_policy_rff,
	NULL,
};

static const struct rfs_detector_ops *const detectors[] = {
	&rfs_detector_fasttrack,
	&rfs_detector_hybrid,
	NULL,
};

const struct rfs_policy_ops *const *rfs_policy_list(void)
{
	return policies;
}

const struct rfs_policy_ops *rfs_policy_find(const char *name)
{
	/* No list names these policies, because they cannot sample. They need a schedule that --simplify wrote, the
	 * order of the calls of a generated test, a predicted deadlock, or a predicted atomicity or order
	 * violation. */
	if (strcmp(rfs_policy_atomicity.name, name) == 0)
		return &rfs_policy_atomicity;
	if (strcmp(rfs_policy_order.name, name) == 0)
		return &rfs_policy_order;
	if (strcmp(rfs_policy_schedule.name, name) == 0)
		return &rfs_policy_schedule;
	if (strcmp(rfs_policy_turns.name, name) == 0)
		return &rfs_policy_turns;
	if (strcmp(rfs_policy_deadlock.name, name) == 0)
		return &rfs_policy_deadlock;
	for (const struct rfs_policy_ops *const *p = policies; *p; p++) {
		if (strcmp((*p)->name, name) == 0)
			return *p;
	}
	return NULL;
}

const struct rfs_detector_ops *const *rfs_detector_list(void)
{
	return detectors;
}

const struct rfs_detector_ops *rfs_detector_find(const char *name)
{
	for (const struct rfs_detector_ops *const *d = detectors; *d; d++) {
		if (strcmp((*d)->name, name) == 0)
			return *d;
	}
	return NULL;
}
