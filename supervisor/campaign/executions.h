/*
 * executions.h - how the phases of a campaign have executions made: the spec that all start from, batches and single
 * runs, and the count of what was planned and done.
 */
#ifndef RFS_EXECUTIONS_H
#define RFS_EXECUTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/pool/job.h"

struct rfs_campaign;
struct rfs_run_result;

/* What a phase was to do, and what became of it. Replays are in no phase's count. */
struct rfs_phase {
	const char *name;
	uint64_t planned, runs, timeouts;
};
#define RFS_PHASES_MAX 4

struct rfs_phases {
	struct rfs_phase list[RFS_PHASES_MAX]; /* in their order, the last one is under way */
	size_t n;
	uint64_t replay_timeouts; /* of runs that are in no phase's count */
};

/*
 * Fills the spec of run i of a phase: program, seed, limits, points (the phase's, unless --points was given). policy:
 * borrowed for ever. The name of its files becomes LABEL-SEED.
 */
void rfs_campaign_execution(const struct rfs_campaign *c, const char *label, uint64_t i,
			    const struct rfs_policy_ops *policy, enum rfs_points points, struct rfs_execution *out);
/* A phase begins, even where the campaign has ended and nothing of it will be done. pairs: how many it goes through. */
void rfs_campaign_phase(struct rfs_campaign *c, const char *name, uint64_t planned, uint64_t pairs);
/* Notes what every controlled run of a phase contributes: counts, modules, warnings. */
void rfs_campaign_note(struct rfs_campaign *c, const struct rfs_execution *execution,
		       const struct rfs_run_result *result);
/* Runs a batch unless the campaign has ended. */
void rfs_campaign_batch(struct rfs_campaign *c, const struct rfs_batch *batch);
/* Runs one that belongs to no phase's count, and notes it. True where *result is filled. */
bool rfs_campaign_one(struct rfs_campaign *c, const struct rfs_execution *execution, bool keep,
		      struct rfs_run_result *result);
/* One more run of the phase is done: counts it in the progress line. */
void rfs_campaign_progress(struct rfs_campaign *c, bool failed);
/* RECORDS/NAME.json, or .trace. Caller frees. */
char *rfs_campaign_record(const struct rfs_campaign *c, const char *name, const char *suffix);

#endif
