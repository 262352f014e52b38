/*
 * run_campaign.h - runs a campaign from the command line: opens its output directory, runs it, writes its report, and
 * chooses the exit status.
 */
#ifndef RFS_RUN_CAMPAIGN_H
#define RFS_RUN_CAMPAIGN_H

#include "supervisor/base/error.h"

struct rfs_options;
struct rfs_pairs_file;
struct rfs_program;
struct rfs_report_own;
struct rfs_resumed;
struct rfs_shard;

/* All pointers are borrowed. */
struct rfs_cli_campaign {
	const struct rfs_options *options;
	const struct rfs_program *program;
	const struct rfs_pairs_file *file;
	char *const *envp;
	const char *note;		   /* of struct rfs_campaign_settings */
	char **command;			   /* the words of the command line */
	const struct rfs_resumed *resumed; /* a campaign that continues; zeroed: a new one */
	struct rfs_shard *shard;	   /* a plan that is carried out or merged; NULL: none */
	int cancel_fd;
};

/* *own: how the program fails by itself (own_end.h); zeroed: it does not, or there is no report. */
enum rfs_exit rfs_cli_campaign_run(const struct rfs_cli_campaign *given, struct rfs_report_own *own);

#endif
