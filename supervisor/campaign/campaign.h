/*
 * campaign.h - what rfsup does between its command line and its report: plain runs, predict, confirm, explore; or
 * confirm alone (--pairs); or sampling (--policy).
 */
#ifndef RFS_CAMPAIGN_H
#define RFS_CAMPAIGN_H

#include "supervisor/pool/job.h"

struct rfs_report;

/* All borrowed. */
struct rfs_campaign_settings {
	const struct rfs_options *options;
	const struct rfs_program *program;
	const struct rfs_pairs *pairs; /* RFS_MODE_PAIRS; else NULL */
	const struct rfs_output *output;
	char *const *envp;
	int cancel_fd;			     /* interrupt.h; -1: none */
	bool terminal;			     /* progress is drawn */
	const struct rfs_server_ops *server; /* server.h; NULL: none */
	rfs_run_fn *run, *plain;	     /* rfs_run() and rfs_baseline_run(); tests put others here */
};

/*
 * Runs it and fills *report, which the caller has initialised: finished (rfs_report_finish()), and right as far as the
 * campaign came, whatever happened. 0, or -errno and a line in why: it could not be started, or broke off because an
 * execution could not be.
 */
int rfs_campaign_run(const struct rfs_campaign_settings *settings, struct rfs_report *report, char *why, size_t n)
	__attribute__((warn_unused_result));

#endif
