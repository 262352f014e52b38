/*
 * campaign-priv.h - the state of a campaign, which the files of this folder share. Most of them own one member of
 * struct rfs_campaign; only the owner changes it.
 *
 * Which file uses which (each row may use the rows below it):
 *
 *     campaign.c
 *     plain_runs measure predict confirm explore sample pairs_mode
 *     campaign_report sampling
 *     finding pair_list saved_run
 *     executions
 *     tally limits atomic_moves decisions baseline verdict warnings progress orders
 */
#ifndef RFS_CAMPAIGN_PRIV_H
#define RFS_CAMPAIGN_PRIV_H

#include <stdint.h>

#include "supervisor/campaign/atomic_moves.h"
#include "supervisor/campaign/baseline.h"
#include "supervisor/campaign/campaign.h"
#include "supervisor/campaign/executions.h"
#include "supervisor/campaign/finding.h"
#include "supervisor/campaign/limits.h"
#include "supervisor/campaign/pair_list.h"
#include "supervisor/campaign/progress.h"
#include "supervisor/campaign/sampling.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/campaign/tally.h"
#include "supervisor/campaign/warnings.h"
#include "supervisor/pool/job.h"

struct rfs_campaign {
	struct rfs_campaign_settings settings;
	const struct rfs_options *options;
	struct rfs_pool *pool;
	struct rfs_symbols *symbols;
	struct rfs_atomic_moves moves;
	char *records, *runs, *fresh; /* paths of folders; fresh: for --fresh-dir, otherwise NULL */
	double started, deadline;
	double plain_seconds, predict_seconds, confirm_seconds, explore_seconds; /* real time that each phase took */

	enum rfs_pool_end end; /* RFS_POOL_DONE: more runs may be made; otherwise why not */
	char why[1024];	       /* if end is RFS_POOL_FAILED: the reason */

	struct rfs_progress progress;
	struct rfs_warnings warnings;
	struct rfs_phases phases;
	struct rfs_baseline baseline;
	struct rfs_limits limits;
	struct rfs_tally tally;
	struct rfs_pair_list pairs;
	struct rfs_findings findings;
	struct rfs_samplings samplings; /* one for each sampler of the sampling mode or of phase explore */
	struct rfs_self_check check;
};

#endif
