/*
 * campaign-priv.h - the state of a campaign, shared by the files that make it: campaign.c (order and limits),
 * limits.c (when an execution hangs), campaign_report.c (what is said of it in the end), predict.c, confirm.c,
 * explore.c, sample.c (sampling), pairs_mode.c
 * (--pairs), finding.c (failures and deadlocks of all phases), saved_run.c (runs worth keeping).
 */
#ifndef RFS_CAMPAIGN_PRIV_H
#define RFS_CAMPAIGN_PRIV_H

#include "supervisor/base/siteset.h"
#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/orders.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/campaign/verdict.h"
#include "supervisor/pool/job.h"
#include "supervisor/report/report.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"

struct rfs_samplers;

/* Result of a replay. */
enum rfs_replayed {
	RFS_REPLAY_NOT_YET, /* the campaign ended before, or the replay timed out */
	RFS_REPLAY_SAME,
	RFS_REPLAY_DIFFERENT,
};

/* A run that is reported: all that it takes to do it again, and how it ended. */
struct rfs_saved_run {
	struct rfs_execution execution; /* points to the campaign's memory, and to the next two */
	struct rfs_site_set spin;
	struct rfs_blob blob;
	struct rfs_run_result result;
	enum rfs_replayed replayed;
	char *input;	  /* path of what came from outside in this run; NULL: nothing did */
	char *difference; /* RFS_REPLAY_DIFFERENT: where the replay went another way; NULL: not known */
};

/* Runs of one pair that created the race and failed in one way. */
struct rfs_pair_failure {
	struct rfs_signature signature;
	uint64_t runs;
	struct rfs_saved_run first; /* with the smallest seed */
	bool attributed;	    /* passes when the race is resolved the other way */
};

struct rfs_pair {
	struct rfs_statement_pair statements; /* owned */
	char *label;			      /* of its records: "pair-3" */
	bool predicted;
	struct rfs_race evidence;			       /* where predicted: of the first run that did */
	uint64_t planned, runs, reached[2], confirmed, failed; /* runs: that ended, or created the race */
	uint64_t timeouts;				       /* of those that did neither */
	uint64_t let_pass_from;	      /* runs after this many let every other arrival pass; 0: none does */
	uint64_t first_reach[2];      /* number of the first run that reached each statement, from 1; 0: none */
	struct rfs_evidence stood[2]; /* unconfirmed: a thread that stood there; no module: none is known */
	bool has_created;
	struct rfs_saved_run created; /* the first run that created it */
	struct rfs_pair_failure *failures;
	size_t n_failures;
	enum rfs_verdict verdict;
};

/* A deadlock or a failure, in whatever phase. */
struct rfs_finding {
	struct rfs_signature signature;
	char *where; /* deadlock: the wait sites; signal: the function at fault; NULL else. Part of the identity */
	const char *phase, *policy;
	uint64_t runs;
	struct rfs_saved_run *first; /* the one to show; owned unless a pair keeps it */
	bool borrowed;
	bool plain; /* every plain run shows it */
};

/* What a phase was to do, and what became of it. Replays are in no phase's count. */
struct rfs_phase {
	const char *name;
	uint64_t planned, runs, timeouts;
};
#define RFS_PHASES_MAX 4

/* The runs of one sampler. */
struct rfs_sampling {
	const struct rfs_sampler *sampler;
	uint64_t runs, failures;
	uint64_t first_failure;	    /* run, from 1; 0: none failed */
	struct rfs_orders orders;   /* of the sampling mode's runs that came to an end */
	struct rfs_run_stats stats; /* the policy's counters, summed */
	struct rfs_blob blob;	    /* what the run before saved; data NULL: nothing */
};

struct rfs_campaign {
	struct rfs_campaign_settings settings;
	const struct rfs_options *options;
	struct rfs_pool_settings pool_settings;
	struct rfs_pool *pool;
	struct rfs_symbols *symbols;
	struct rfs_progress progress;
	char *records; /* the folder */
	double started, deadline;

	struct rfs_phase phases[RFS_PHASES_MAX]; /* in their order, the last one is under way */
	size_t n_phases;

	enum rfs_pool_end end; /* anything but DONE: no more runs */
	char why[1024];	       /* FAILED */

	struct rfs_baseline baseline;
	double cpu_seconds; /* the most of one controlled run that came to an end */
	uint64_t steps;	    /* the most visible operations that one can have: steps and accesses */
	bool limited;	    /* both are known, and the limits derived from them */
	double cpu_limit;   /* this and the next two are of an execution: struct rfs_run_spec */
	uint64_t step_limit, spin_free;

	struct rfs_pair *pairs;
	size_t n_pairs;
	struct rfs_site_set sites; /* of all pairs */
	struct rfs_finding *findings;
	size_t n_findings;

	struct rfs_run_module *modules; /* of all runs; path and build-id owned */
	size_t n_modules;
	char **warnings; /* given already */
	size_t n_warnings;
	char *uncontrolled;	/* the first run that was */
	uint64_t checked;	/* runs of the first finding that were compared; 0: there is none */
	char *check_difference; /* NULL: they were the same */
	char **threaded;	/* file names of processes with threads that ran beside the program, each once */
	size_t n_threaded;
	uint64_t max_threaded; /* in one run */

	struct rfs_sampling *samplings; /* of the sampling mode, or of phase 3 */
	size_t n_samplings;

	uint64_t first_failure;		    /* the controlled run that was the first to fail, from 1; 0: none */
	uint64_t outside[RFS_NONDET_KINDS]; /* runs that took each kind */
	uint64_t *files;		    /* as of struct rfs_run_result, of all runs */
	size_t n_files;			    /* pairs of words */
	uint64_t n_runs, n_uncontrolled, n_timeouts, n_replay_timeouts, n_atomic_pairs, n_unnamed_pairs, n_races,
		n_livelocks;
	uint64_t total_steps, total_accesses, total_stops, max_threads;
	uint64_t total_recorded, total_learned, total_steps_recorded;
	uint64_t stub_single, stub_groups, stub_padded; /* of the run that had most */
	double total_cpu, total_own_cpu, plain_wall, predict_wall, confirm_wall, explore_wall;
};

/* ---- campaign.c ---- */

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
/* Runs one that belongs to no phase's count, and notes it. True where *result is filled. used: as rfs_pool_run_one().
 */
bool rfs_campaign_one(struct rfs_campaign *c, const struct rfs_execution *execution, bool keep,
		      struct rfs_run_result *result, struct rfs_site_set *used);
/* One more run of the phase is done: counts it in the progress line. */
void rfs_campaign_progress(struct rfs_campaign *c, bool failed);
/* RECORDS/NAME.json, or .trace. Caller frees. */
char *rfs_campaign_record(const struct rfs_campaign *c, const char *name, const char *suffix);
void rfs_campaign_warn(struct rfs_campaign *c, const char *line); /* once for each line */

/* ---- limits.c ---- */

/* Sets the limits of the executions to come: by the plain runs alone, … */
void rfs_limits_by_plain_runs(struct rfs_campaign *c);
/* … by them and one controlled run, which is made here and belongs to no phase, … */
void rfs_limits_measure(struct rfs_campaign *c);
/* … and by the controlled runs so far. */
void rfs_limits_by_controlled_runs(struct rfs_campaign *c);

/* ---- saved_run.c ---- */

/* Moves a run's result away (*result is zeroed) and copies what its execution borrows. */
void rfs_saved_run_take(struct rfs_saved_run *kept, const struct rfs_execution *execution,
			struct rfs_run_result *result);
void rfs_saved_run_release(struct rfs_saved_run *kept);
/* Releases it and removes its files: it is not reported after all. */
void rfs_saved_run_discard(struct rfs_campaign *c, struct rfs_saved_run *kept);
/* Writes the record of a run that is no finding, with its outcome. result is moved. True: its files stay. */
bool rfs_saved_run_save(struct rfs_campaign *c, const struct rfs_execution *execution, struct rfs_run_result *result);
/* Does the run again, alone, and notes in kept->replayed whether it was the same; writes its record and trace then. */
void rfs_saved_run_replay(struct rfs_campaign *c, struct rfs_saved_run *kept);

/* ---- finding.c ---- */

/*
 * Looks at a run: where it ended in a failure or a deadlock, counts it, and keeps it (result is moved) where it is the
 * first of its kind. True where it was kept: the files stay.
 */
bool rfs_finding_note(struct rfs_campaign *c, const char *phase, const struct rfs_execution *execution,
		      struct rfs_run_result *result);
/* The same for `runs` runs whose first one a pair keeps, for as long as the campaign lives. */
void rfs_finding_adopt(struct rfs_campaign *c, const char *phase, struct rfs_saved_run *kept, uint64_t runs);
/*
 * True where the failure is the one of a harmful race, down to the stack, and so is told there. Known once the
 * verdicts are.
 */
bool rfs_finding_explained(const struct rfs_campaign *c, const struct rfs_finding *finding);
/* Replays those that were not yet. */
void rfs_findings_replay(struct rfs_campaign *c);
void rfs_finding_release(struct rfs_finding *finding);

/* ---- sample.c ---- */

/* Borrows the samplers, which are loaded. */
void rfs_samplings_new(struct rfs_campaign *c, const struct rfs_samplers *samplers);
void rfs_samplings_release(struct rfs_campaign *c);
/* rfs_campaign_execution() for run i. */
void rfs_sampling_make(const struct rfs_campaign *c, const struct rfs_sampling *sampling, const char *label, uint64_t i,
		       enum rfs_points points, struct rfs_execution *out);
/* Notes all that run i contributes. True where it is kept. */
bool rfs_sampling_done(struct rfs_campaign *c, struct rfs_sampling *sampling, const char *phase, uint64_t i,
		       const struct rfs_execution *execution, struct rfs_run_result *result);
/* Runs a batch as the sampler needs it. */
void rfs_sampling_batch(struct rfs_campaign *c, const struct rfs_sampling *sampling, struct rfs_batch *batch);

/* ---- the phases ---- */

void rfs_predict(struct rfs_campaign *c);
void rfs_confirm(struct rfs_campaign *c);
void rfs_explore(struct rfs_campaign *c);
void rfs_sample(struct rfs_campaign *c);
/* --pairs: learns the modules and resolves the names. */
int rfs_pairs_mode(struct rfs_campaign *c, char *why, size_t n) __attribute__((warn_unused_result));

/* Adds the pairs that a detector found in a run (result->predicted, moved where they are new). */
void rfs_pairs_join(struct rfs_campaign *c, struct rfs_run_result *result);
/* Once all are known: sorts them, labels them, collects their sites. */
void rfs_pairs_settle(struct rfs_campaign *c);
void rfs_pair_release(struct rfs_pair *pair);
/* Writes pairs.txt. */
void rfs_pairs_save(struct rfs_campaign *c);

/* ---- campaign_report.c ---- */

void rfs_campaign_report(struct rfs_campaign *c, struct rfs_report *report);
/* One pair as it stands now: *out is zeroed before. */
void rfs_campaign_report_pair(struct rfs_campaign *c, const struct rfs_pair *pair, struct rfs_report_pair *out);

#endif
