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
	uint64_t planned, runs;
	uint64_t timeouts; /* runs that reached --timeout */
	uint64_t cut;	   /* runs that the budget ended earlier */
	double seconds;	   /* wall time of its batches */
};
#define RFS_PHASES_MAX 5

struct rfs_phases {
	struct rfs_phase list[RFS_PHASES_MAX]; /* in their order */
	size_t n, now;			       /* now: the one in progress */
	uint64_t replay_timeouts;	       /* of runs that no phase counts */
	char *stuck; /* where the threads of the first run that timed out were; NULL: none did */
};

/* Decides whether the next predicting runs are made in two passes. rfs_campaign_batch() does this itself. */
void rfs_campaign_choose_passes(struct rfs_campaign *c);

/*
 * Fills the execution of run i of a phase: program, seed, limits, options. Its files are named LABEL-seed-SEED. points:
 * the points of the phase, which --points overrides. policy: a table that is never freed.
 */
void rfs_campaign_execution(const struct rfs_campaign *c, const char *label, uint64_t i,
			    const struct rfs_policy_ops *policy, enum rfs_points points, struct rfs_execution *out);
/* The detector of predicting runs, of any phase. NULL: --detector none. */
const struct rfs_detector_ops *rfs_campaign_detector(const struct rfs_campaign *c);
/* Whether no run had a second thread. There is then only one schedule, unless the order of events is a choice. */
bool rfs_campaign_one_schedule(const struct rfs_campaign *c);
/* Begins a phase, even if the campaign has ended and nothing of the phase will be done. Returns its number. */
size_t rfs_campaign_phase(struct rfs_campaign *c, const char *name, uint64_t planned);
/* Notes how many places of faults the run had. */
void rfs_campaign_note_faults(struct rfs_campaign *c, const struct rfs_run_result *result);
/* Notes counts, modules and warnings; call it for every controlled run of the phase in progress. */
void rfs_campaign_note(struct rfs_campaign *c, const struct rfs_execution *execution,
		       const struct rfs_run_result *result);
/* True if the run failed, and not as every baseline run does. With --until-failure in a campaign, it is then enough. */
bool rfs_campaign_failed(struct rfs_campaign *c, const struct rfs_run_result *result);
/* A run has shown a finding that is as bad as a failure. With --until-failure in a campaign, it is then enough. */
void rfs_campaign_found(struct rfs_campaign *c);
/* Runs a batch of the phase in progress, unless the campaign has ended or one of its runs was enough. A batch that
 * reaches its own deadline does not end the campaign. */
enum rfs_pool_end rfs_campaign_batch(struct rfs_campaign *c, const struct rfs_batch *batch);
/* Makes one run that no phase counts, such as a replay. keep: its files stay. True if *result is filled. */
bool rfs_campaign_one(struct rfs_campaign *c, const struct rfs_execution *execution, bool keep,
		      struct rfs_run_result *result);
/* Makes runs that no phase counts. done() must call rfs_campaign_note_replay() for each. */
void rfs_campaign_replays(struct rfs_campaign *c, const struct rfs_batch *batch);
void rfs_campaign_note_replay(struct rfs_campaign *c, const struct rfs_execution *execution,
			      const struct rfs_run_result *result);
/* Counts one more finished run of the phase in the progress line. */
void rfs_campaign_progress(struct rfs_campaign *c, bool failed);
/* The path of a file of an execution: NAME.SUFFIX in the folder records/. suffix: "json", "trace". Caller frees. */
char *rfs_campaign_record(const struct rfs_campaign *c, const char *name, const char *suffix);
/* The same in the folder runs/: what the program wrote. suffix: "out", "err". Caller frees. */
char *rfs_campaign_output(const struct rfs_campaign *c, const char *name, const char *suffix);

#endif
