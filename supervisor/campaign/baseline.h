/*
 * baseline.h - plain runs: the target alone, uncontrolled. What ten of them show is the baseline that failures are
 * compared with.
 */
#ifndef RFS_BASELINE_H
#define RFS_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/campaign/verdict.h"

struct rfs_run_result;
struct rfs_run_spec;

/*
 * Runs spec's program with its arguments, environment, working directory, descriptors, core and timeout; the rest of
 * spec is not looked at. out: end is RFS_END_EXIT, SIGNAL, TIMEOUT or CANCELLED; detail, wall_seconds and cpu_seconds
 * (all descendants included) are set. The same contract as rfs_run(): in a process of its own with no other child, 0 or
 * -errno and a line in why. No descendant of the target survives the call.
 */
int rfs_baseline_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
	__attribute__((warn_unused_result));

/* What the plain runs showed. Zero: none was made. */
struct rfs_baseline {
	uint64_t runs;	   /* that came to an end */
	uint64_t timeouts; /* that did not */
	uint64_t failures;
	struct {
		struct rfs_signature signature;
		uint64_t runs;
	} * seen;
	size_t n_seen;
	double cpu_seconds, wall_seconds; /* of the longest one */
};
void rfs_baseline_add(struct rfs_baseline *baseline, const struct rfs_run_result *result);
/* True where every plain run failed in just this way: then it tells nothing about schedules. */
bool rfs_baseline_always(const struct rfs_baseline *baseline, const struct rfs_signature *signature);
void rfs_baseline_release(struct rfs_baseline *baseline);

#endif
