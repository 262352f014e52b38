/*
 * campaign-priv.h - the state of a campaign, which the files of this folder share. Most files own one member of struct
 * rfs_campaign, and only the owner changes that member.
 *
 * Which file uses which (each row may use the rows below it):
 *
 *     campaign.c
 *     plain_runs measure rounds items sample prove pairs_mode
 *     triage_survey joint_runs
 *     arms judge
 *     second_look
 *     confirm explore predict
 *     stories
 *     campaign_report sampling cause order_output
 *     reasons
 *     triage
 *     suppress
 *     cycles
 *     goes_along
 *     finding pair_list shown
 *     match cycle_names
 *     saved_run fault_place
 *     executions
 *     ending reading
 *     harm
 *     minimise tally limits atomic_moves decisions arm baseline significance
 *     asleep verdict warnings incomplete progress orders survey
 */
#ifndef RFS_CAMPAIGN_PRIV_H
#define RFS_CAMPAIGN_PRIV_H

#include <stdint.h>

#include "supervisor/campaign/atomic_moves.h"
#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/cycles.h"
#include "supervisor/campaign/ending.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/finding.h"
#include "supervisor/campaign/incomplete.h"
#include "supervisor/campaign/joint_runs.h"
#include "supervisor/campaign/limits.h"
#include "supervisor/campaign/module_reading.h"
#include "supervisor/campaign/pair_list.h"
#include "supervisor/campaign/predict.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/campaign/sampling.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/tally.h"
#include "supervisor/campaign/violations.h"
#include "supervisor/campaign/warnings.h"
#include "supervisor/pool/job.h"
#include "supervisor/report/data/report_proof.h"

struct rfs_campaign {
	struct rfs_campaign_settings settings;
	const struct rfs_options *options;
	struct rfs_pool *pool;
	struct rfs_symbols *symbols;
	struct rfs_atomic_moves moves;
	struct rfs_module_reading reading;
	bool program_only; /* the next batch does not watch libraries */
	bool two_passes;   /* predicting runs of the next batch are made in two passes */
	struct {
		uint64_t runs, accesses, steps, differed, timeouts;
	} predicting;			       /* sums over all runs with a detector so far */
	char *const *unwatched;		       /* what the runs of the batch do not watch; NULL: nothing */
	char *records, *runs, *fresh;	       /* folders; fresh NULL: executions have no separate folders */
	double started, deadline;	       /* deadline: when the last run ends; 0: no budget */
	double run_seconds;		       /* the longest time of one run, if less than --timeout; 0: --timeout */
	double plain_seconds, measure_seconds; /* wall time; that of phases is in phases */
	bool plain_spins;		       /* plain runs on one core do not end, so all of them may use all cores */

	enum rfs_pool_end end; /* RFS_POOL_DONE: more runs may be made; other values: why no more runs are made */
	char *missing;	       /* which parts of the plan were not carried out; NULL: none */
	char why[1024];	       /* if end is RFS_POOL_FAILED: the reason */
	bool first_judged;     /* rfs_judge_new() has tested a failure */
	bool slow;	       /* the budget has cut the measuring run short */
	bool enough;	       /* --until-failure: there is a finding; make no more runs but replays */
	/* the most places of faults in a run so far; and what runs are told, which changes only between batches */
	uint64_t fault_points_seen, fault_points;
	uint64_t measured;  /* visible operations of the measuring run; 0: it was not made or did not end */
	size_t n_predicted; /* pairs of phase predict; later runs may add more */
	struct rfs_blob predict_saved[RFS_PREDICT_KINDS]; /* rfs_predict_saved() */
	uint64_t n_confirmed;				  /* pairs that were created so far */

	struct rfs_progress progress;
	struct rfs_warnings warnings;
	struct rfs_incomplete incomplete;
	struct rfs_phases phases;
	struct rfs_baseline baseline;
	struct rfs_limits limits;
	struct rfs_tally tally;
	struct rfs_pair_list pairs;
	struct rfs_cycle_list cycles;
	struct rfs_violation_list violations;
	struct rfs_joint_runs joint;
	struct rfs_triage *triage; /* of the reports of another tool; NULL: there are none */
	struct rfs_findings findings;
	struct rfs_samplings samplings; /* one for each sampler of the sampling mode or of phase explore */
	struct rfs_self_check check;
	struct rfs_report_proof proof; /* --prove */
	struct rfs_ending ending;
};

#endif
