/*
 * baseline.h - makes baseline runs: the target alone, uncontrolled. Failures are compared with what up to ten of these
 * runs show.
 */
#ifndef RFS_BASELINE_H
#define RFS_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/campaign/verdict.h"

struct rfs_run_result;
struct rfs_run_spec;

/* detail of a run that did not end: asleep.h. */
#define RFS_BASELINE_ASLEEP 1

/*
 * Runs spec's program with its arguments, environment, working directory, descriptors, core and timeout; ignores the
 * rest of spec. out: end is RFS_END_EXIT, SIGNAL, TIMEOUT (detail RFS_BASELINE_ASLEEP: given up early, because all
 * threads sleep for good) or CANCELLED; detail, wall_seconds and cpu_seconds (of all descendants too) are set. As for
 * rfs_run(), the calling process must have no other child. 0, or -errno and a line in why. No descendant of the target
 * survives the call.
 */
int rfs_baseline_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
	__attribute__((warn_unused_result));

/* What the baseline runs showed. Zeroed: no run was made. */
struct rfs_baseline {
	uint64_t runs;	   /* that ended */
	uint64_t timeouts; /* that did not end */
	uint64_t asleep;   /* of these, all threads slept for good */
	uint64_t failures;
	struct {
		struct rfs_signature signature;
		uint64_t runs;
	} * seen;
	size_t n_seen;
	double cpu_seconds, wall_seconds; /* of the longest one */
};
void rfs_baseline_add(struct rfs_baseline *baseline, const struct rfs_run_result *result);
/* True if every baseline run failed in exactly this way: then the failure does not depend on the schedule. */
bool rfs_baseline_always(const struct rfs_baseline *baseline, const struct rfs_signature *signature);
/* The most frequent failure of the runs that ended; NULL: none. Valid until the next run is added. */
const struct rfs_signature *rfs_baseline_crash(const struct rfs_baseline *baseline);
void rfs_baseline_release(struct rfs_baseline *baseline);

#endif
