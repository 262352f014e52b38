/*
 * suite.h - rfsup --suite: all tests of a build.
 *
 * Each test first runs once without control, which shows whether it has threads. Those with threads then have
 * campaigns, in turns: a short one each, and what is left of the budget for those with the most left to try. Each run
 * and each campaign is in a separate process.
 */
#ifndef RFS_SUITE_H
#define RFS_SUITE_H

#include <stddef.h>

#include "supervisor/base/error.h"

struct rfs_options;
struct rfs_program;
struct rfs_report_own;
struct rfs_resumed;

/* What the suite needs of the command line. Borrowed. */
struct rfs_suite_runs {
	const struct rfs_options *options;
	char **command; /* the words of the command line */
	int cancel_fd;
	/* cli/program.h */
	int (*resolve)(char *const *words, const char *cwd, struct rfs_program *out, char *why, size_t n);
	void (*release)(struct rfs_program *program);
	/* Makes a campaign of these words, in the current process. command: the words of a command line that does it.
	 */
	enum rfs_exit (*campaign)(const struct rfs_suite_runs *runs, const struct rfs_options *options,
				  char *const *words, char **command, const struct rfs_resumed *resumed);
};

/* *own: how tests fail by themselves (own_end.h). The exit status is the worst. */
enum rfs_exit rfs_suite(const struct rfs_suite_runs *runs, struct rfs_report_own *own);

#endif
