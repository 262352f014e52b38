/*
 * baseline.h - baseline runs: the target alone, uncontrolled. A campaign makes up to ten of them. They show which
 * failures do not depend on the schedule that rfsup chooses.
 */
#ifndef RFS_BASELINE_H
#define RFS_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/campaign/decisions/verdict.h"

struct rfs_onlooker;
struct rfs_run_result;
struct rfs_run_spec;

/* detail of a run that did not end: sleeping_forever.h. */
#define RFS_BASELINE_ASLEEP 1

/*
 * Runs the program of `spec` without control. Uses its arguments, environment, working directory, descriptors, core
 * and timeout, and ignores the other members.
 *
 * Sets these members of *out: end (RFS_END_EXIT, SIGNAL, TIMEOUT or CANCELLED), detail, wall_seconds, and cpu_seconds
 * (with all descendants). RFS_END_TIMEOUT with detail RFS_BASELINE_ASLEEP: the run was given up early, because all
 * threads sleep forever. The calling process must have no other child, as for rfs_run(). All descendants of the
 * target are killed before the function returns. 0, or -errno and a line in why.
 */
int rfs_baseline_run(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
	__attribute__((warn_unused_result));

/*
 * The same, with an onlooker, who sees the processes if its function `executes` is not NULL. The member `follow` of the
 * spec is ignored too. If the onlooker has a function `ends`, descendants of the target die when the calling process
 * ends, and not before.
 */
int rfs_baseline_watch(const struct rfs_run_spec *spec, struct rfs_onlooker *watch, struct rfs_run_result *out,
		       char *why, size_t n) __attribute__((warn_unused_result));

/* What the baseline runs of a campaign showed. Zeroed: no run was made. */
struct rfs_baseline {
	uint64_t runs;	   /* runs that ended by themselves */
	uint64_t timeouts; /* runs that timed out */
	uint64_t asleep;   /* of these, all threads slept forever */
	uint64_t failures;
	struct {
		struct rfs_signature signature;
		uint64_t runs;
	} * seen;
	size_t n_seen;
	double cpu_seconds, wall_seconds; /* the maxima of one run */
};
void rfs_baseline_add(struct rfs_baseline *baseline, const struct rfs_run_result *result);
/* True if every baseline run failed in exactly this way. The failure then does not depend on the schedule. */
bool rfs_baseline_always(const struct rfs_baseline *baseline, const struct rfs_signature *signature);
/* True if every baseline run failed, in whatever way. The program then fails without rfsup. */
bool rfs_baseline_fails(const struct rfs_baseline *baseline);
/* The most frequent failure of the runs that ended; NULL: none. Valid until the next run is added. */
const struct rfs_signature *rfs_baseline_crash(const struct rfs_baseline *baseline);
void rfs_baseline_release(struct rfs_baseline *baseline);

#endif
