/*
 * campaign.h - runs a campaign and fills its report. The phases are baseline, predict, confirm, explore; or only
 * confirm (--pairs); or sampling (--policy).
 */
#ifndef RFS_CAMPAIGN_H
#define RFS_CAMPAIGN_H

#include "supervisor/pool/job.h"

struct rfs_report;

/* All pointers are borrowed. */
struct rfs_campaign_settings {
	const struct rfs_options *options;
	const struct rfs_program *program;
	const struct rfs_pairs *pairs; /* for RFS_MODE_PAIRS; otherwise NULL */
	const struct rfs_output *output;
	char *const *envp;
	int cancel_fd;			     /* interrupt.h; -1: none */
	bool terminal;			     /* draw the progress line */
	struct rfs_journal *journal;	     /* journal.h; NULL: none */
	const struct rfs_server_ops *server; /* server.h; NULL: no fork server */
	rfs_run_fn *run, *plain;	     /* rfs_run() and rfs_baseline_run(); tests replace them */
};

/*
 * Runs the campaign and fills *report, which the caller has initialised. In all cases the report is finished
 * (rfs_report_finish()), and correct for what was done. 0, or -errno and a line in why: the campaign could not be
 * started, or ended early because an execution could not be started.
 */
int rfs_campaign_run(const struct rfs_campaign_settings *settings, struct rfs_report *report, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
