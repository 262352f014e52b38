/* settings.h - what a campaign is made for: the options, the program, and what its caller lends it. */
#ifndef RFS_CAMPAIGN_SETTINGS_H
#define RFS_CAMPAIGN_SETTINGS_H

#include <stdbool.h>

#include "supervisor/pool/job.h"

/* All pointers are borrowed. */
struct rfs_campaign_settings {
	const struct rfs_options *options;
	const struct rfs_program *program;
	const struct rfs_pairs *pairs;	 /* for RFS_MODE_PAIRS; otherwise NULL */
	const struct rfs_import *import; /* the same, if the file has reports of another tool; otherwise NULL */
	const struct rfs_suppressions *suppressions; /* what the user does not want to see; NULL: nothing */
	const struct rfs_scope *scope;		     /* which predictions are tested; NULL: all */
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

#endif
