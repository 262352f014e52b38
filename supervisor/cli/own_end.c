/* own_end.c - raises the signal or returns the status of the program, after all else is done. */
#include "supervisor/cli/own_end.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "supervisor/campaign/settings/options.h"
#include "supervisor/report/data/report_own.h"

bool rfs_own_end_counts(const struct rfs_report_own *own, const struct rfs_options *options, enum rfs_exit exit)
{
	if (!own->failed || !(options->launcher || options->gtest || options->suite) || exit == RFS_EXIT_INPUT)
		return false;
	/* with --error-exitcode=0, a finding does not hide that the test fails */
	return exit != RFS_EXIT_FINDING || !options->error_exitcode;
}

void rfs_own_end(const struct rfs_report_own *own)
{
	const struct rlimit no_core = {0};
	sigset_t set;

	if (!own->signal)
		exit(own->number);
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &no_core);
	signal(own->number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, own->number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(own->number);
	exit(128 + own->number); /* what a shell reports; some signals do not end a process */
}
