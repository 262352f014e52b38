/*
 * executions.h - makes the executions of all phases: the common spec, batches and single runs, and the count of planned
 * and finished runs.
 */
#ifndef RFS_EXECUTIONS_H
#define RFS_EXECUTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/pool/job.h"

struct rfs_campaign;
struct rfs_run_result;

/* The planned and finished runs of a phase. Replays are not counted in any phase. */
struct rfs_phase {
	const char *name;
	uint64_t planned, runs, timeouts;
};
#define RFS_PHASES_MAX 4

struct rfs_phases {
	struct rfs_phase list[RFS_PHASES_MAX]; /* in their order; the last one is in progress */
	size_t n;
	uint64_t replay_timeouts; /* of runs that no phase counts */
};

/* Fills the spec of run i of a phase: program, seed, limits, points (those of the phase, unless --points was given).
 * policy: borrowed for ever. The name of its files becomes LABEL-SEED. */
void rfs_campaign_execution(const struct rfs_campaign *c, const char *label, uint64_t i,
			    const struct rfs_policy_ops *policy, enum rfs_points points, struct rfs_execution *out);
/* Begins a phase, even if the campaign has ended and nothing of the phase will be done. pairs: how many pairs the phase
 * has. */
void rfs_campaign_phase(struct rfs_campaign *c, const char *name, uint64_t planned, uint64_t pairs);
/* Notes counts, modules and warnings; call it for every controlled run of a phase. */
void rfs_campaign_note(struct rfs_campaign *c, const struct rfs_execution *execution,
		       const struct rfs_run_result *result);
/* Runs a batch unless the campaign has ended. */
void rfs_campaign_batch(struct rfs_campaign *c, const struct rfs_batch *batch);
/* Makes one run that no phase counts, and notes it. True if *result is filled. */
bool rfs_campaign_one(struct rfs_campaign *c, const struct rfs_execution *execution, bool keep,
		      struct rfs_run_result *result);
/* Counts one more finished run of the phase in the progress line. */
void rfs_campaign_progress(struct rfs_campaign *c, bool failed);
/* RECORDS/NAME.json, or .trace. Caller frees. */
char *rfs_campaign_record(const struct rfs_campaign *c, const char *name, const char *suffix);

#endif
