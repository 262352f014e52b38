/*
 * campaign.h - runs a campaign and fills its report. Its phases depend on the mode: predict, confirm and explore; only
 * confirm (--pairs); or only sampling (--policy). Baseline runs come first.
 */
#ifndef RFS_CAMPAIGN_H
#define RFS_CAMPAIGN_H

#include "supervisor/pool/job.h"

struct rfs_report;

/* All pointers are borrowed. */
struct rfs_campaign_settings {
	const struct rfs_options *options;
	const struct rfs_program *program;
	const struct rfs_pairs *pairs;	 /* for RFS_MODE_PAIRS; otherwise NULL */
	const struct rfs_import *import; /* the same, if the file has reports of another tool; otherwise NULL */
	const struct rfs_suppressions *suppressions; /* what the user does not want to see; NULL: nothing */
	struct rfs_scope *scope;		     /* which predictions are tested; NULL: all */
	const struct rfs_output *output;
	char *const *envp;
	const char *note;		     /* a line for the report on how the program is run; NULL: none */
	int cancel_fd;			     /* becomes readable when the user interrupts (interrupt.h); -1: none */
	bool terminal;			     /* draw the progress line (progress.h) */
	struct rfs_journal *journal;	     /* journal.h; NULL: none */
	const struct rfs_plan_work *plan;    /* plan_items.h; NULL: the campaign has no plan */
	const struct rfs_server_ops *server; /* the fork server (server/server.h); NULL: none */
	rfs_run_fn *run, *plain;	     /* rfs_run() and rfs_baseline_run(); tests replace them */
};

/*
 * Runs the campaign and fills *report. The caller has initialised *report. The function always completes *report with
 * rfs_report_finish(), even after an error. 0, or -errno and a line in why: the campaign could not start, or it ended
 * early because an execution could not be started.
 */
int rfs_campaign_run(const struct rfs_campaign_settings *settings, struct rfs_report *report, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
