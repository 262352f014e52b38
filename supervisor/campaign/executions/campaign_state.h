/*
 * campaign_state.h - what all modules of a campaign share. Each part of the state is behind a pointer and has an owner,
 * the module that declares its type; only the owner changes it. So a module includes the headers of the parts that it
 * uses, and no others. campaign.c holds the parts.
 */
#ifndef RFS_CAMPAIGN_STATE_H
#define RFS_CAMPAIGN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/pool/job.h"

struct rfs_campaign_settings;
struct rfs_options;
struct rfs_pool;
struct rfs_symbols;

struct rfs_campaign {
	const struct rfs_campaign_settings *settings;
	const struct rfs_options *options;
	struct rfs_pool *pool;
	struct rfs_symbols *symbols;

	/* ---- the parts, never NULL unless a comment says so ---- */
	struct rfs_atomic_moves *moves;
	struct rfs_module_reading *reading;
	struct rfs_progress *progress;
	struct rfs_warnings *warnings;
	struct rfs_incomplete *incomplete;
	struct rfs_phases *phases;
	struct rfs_baseline *baseline;
	struct rfs_limits *limits;
	struct rfs_tally *tally;
	struct rfs_ending *ending;
	struct rfs_findings *findings;
	struct rfs_self_check *check;
	struct rfs_pair_list *pairs;
	struct rfs_cycle_list *cycles;
	struct rfs_violation_list *violations;
	struct rfs_joint_runs *joint;
	struct rfs_samplings *samplings; /* one for each sampler of the sampling mode or of phase explore */
	struct rfs_blob *predict_saved;	 /* rfs_predict_saved() */
	struct rfs_windows *windows;	 /* of predicting runs that looked at a part of the program only */
	struct rfs_report_proof *proof;	 /* --prove */
	struct rfs_triage *triage;	 /* of the reports of another tool; NULL: there are none */
	/* how many pairs and findings there are, for modules below their owners */
	const size_t *n_pairs, *n_findings;

	/* ---- of the next batch ---- */
	bool program_only;	    /* it does not watch libraries */
	bool two_passes;	    /* its predicting runs are made in two passes */
	char *const *unwatched;	    /* what its runs do not watch; NULL: nothing */
	double run_seconds;	    /* the longest time of one run, if less than --timeout; 0: --timeout */
	uint64_t fault_points;	    /* how many places of faults the specs of runs have; changes only between batches */
	uint64_t fault_points_seen; /* the most places of faults in a run so far */

	struct {
		uint64_t runs, accesses, steps, differed, timeouts;
	} predicting; /* sums over all runs with a detector so far */
	struct {
		uint64_t runs, steps;
	} placed;			       /* the same of phase predict, for runs that stopped at predicted pairs */
	char *records, *runs, *fresh;	       /* folders; fresh NULL: executions have no separate folders */
	double started, deadline;	       /* deadline: when the last run ends; 0: no budget */
	double plain_seconds, measure_seconds; /* wall time; that of phases is in phases */

	enum rfs_pool_end end; /* RFS_POOL_DONE: more runs may be made; other values: why no more runs are made */
	char *missing;	       /* which parts of the plan were not carried out; NULL: none */
	char why[1024];	       /* if end is RFS_POOL_FAILED: the reason */
	bool plain_spins;      /* plain runs on one core do not end, so all of them may use all cores */
	bool first_judged;     /* rfs_judge_new() has tested a failure */
	bool slow;	       /* the budget has cut the measuring run short */
	bool enough;	       /* --until-failure: there is a finding; make no more runs but replays */
	uint64_t measured;     /* visible operations of the measuring run; 0: it was not made or did not end */
	size_t n_predicted;    /* pairs of phase predict; later runs may add more */
	uint64_t n_confirmed;  /* pairs that were created so far */
};

#endif
