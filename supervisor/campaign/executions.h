/*
 * executions.h - makes executions for all phases: fills their specs, runs them in batches or one by one, and counts
 * planned and finished runs.
 */
#ifndef RFS_EXECUTIONS_H
#define RFS_EXECUTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/pool/job.h"

struct rfs_campaign;
struct rfs_run_result;

/*
 * The counts of a phase: planned runs, finished runs, and how many of the finished runs timed out. No phase counts
 * replays.
 */
struct rfs_phase {
	const char *name;
	uint64_t planned, runs, timeouts;
};
#define RFS_PHASES_MAX 4

struct rfs_phases {
	struct rfs_phase list[RFS_PHASES_MAX]; /* in order; the last one is the current phase */
	size_t n;
	uint64_t replay_timeouts; /* timeouts of runs that no phase counts */
};

/*
 * Fills the execution of run i of a phase: program, seed, limits, options. Its files are named LABEL-seed-SEED. points:
 * the points of the phase, which --points overrides. policy: a table that is never freed.
 */
void rfs_campaign_execution(const struct rfs_campaign *c, const char *label, uint64_t i,
			    const struct rfs_policy_ops *policy, enum rfs_points points, struct rfs_execution *out);
/*
 * Begins a phase. Call it even if the campaign has ended early, so that the report lists the phase's planned runs.
 * pairs: the number of pairs that the phase runs; 0: the phase has no pairs.
 */
void rfs_campaign_phase(struct rfs_campaign *c, const char *name, uint64_t planned, uint64_t pairs);
/*
 * Counts a run in the current phase, and adds the run's counts, modules and warnings to those of the campaign. Call for
 * every controlled run of a phase.
 */
void rfs_campaign_note(struct rfs_campaign *c, const struct rfs_execution *execution,
		       const struct rfs_run_result *result);
/* Runs a batch unless the campaign has ended. */
void rfs_campaign_batch(struct rfs_campaign *c, const struct rfs_batch *batch);
/* Makes one run that no phase counts, such as a replay. keep: its files stay. True if *result is filled. */
bool rfs_campaign_one(struct rfs_campaign *c, const struct rfs_execution *execution, bool keep,
		      struct rfs_run_result *result);
/* Counts one more finished run of the phase in the progress line. */
void rfs_campaign_progress(struct rfs_campaign *c, bool failed);
/* The path of a file of an execution: NAME.SUFFIX in the folder records/. suffix: "json", "trace". Caller frees. */
char *rfs_campaign_record(const struct rfs_campaign *c, const char *name, const char *suffix);

#endif
