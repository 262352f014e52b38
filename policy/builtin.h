/* builtin.h - the built-in policies and detectors. Declare a new one here and list it in registry.c. */
#ifndef RFS_POLICY_BUILTIN_H
#define RFS_POLICY_BUILTIN_H

#include "policy/policy.h"

extern const struct rfs_policy_ops rfs_policy_deadlock, rfs_policy_drfinder, rfs_policy_random, rfs_policy_racefuzzer,
	rfs_policy_rff;
extern const struct rfs_policy_ops rfs_policy_rapos, rfs_policy_pct, rfs_policy_pos, rfs_policy_surw, rfs_policy_atom,
	rfs_policy_atomicity, rfs_policy_delay, rfs_policy_dpor, rfs_policy_order, rfs_policy_schedule,
	rfs_policy_sweep, rfs_policy_turns;
extern const struct rfs_detector_ops rfs_detector_fasttrack, rfs_detector_hybrid;

#endif
