/* suite_show.c - a line for each test that matters, the status line, and the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/cli/campaign/merge.h"
#include "supervisor/cli/suite/suite-priv.h"

/* ---- tests ---- */

/* Whether the test has a line even without --verbose. */
static bool matters(enum rfs_job_outcome outcome)
{
	switch (outcome) {
	case RFS_OUTCOME_OPEN:
	case RFS_OUTCOME_OK:
	case RFS_OUTCOME_ONE_THREAD:
	case RFS_OUTCOME_DISABLED:
		return false;
	default:
		return true;
	}
}

/* Whether later turns can change the outcome. */
static bool is_final(const struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	return job->outcome == RFS_OUTCOME_FOUND || (job->outcome != RFS_OUTCOME_OPEN && !job->turn.open) ||
	       suite->stops;
}

void rfs_suite_show(const struct rfs_suite *suite, struct rfs_suite_job *job, bool last)
{
	const struct rfs_options *options = suite->runs->options;
	char *name;

	if (options->json || job->shown || job->outcome == RFS_OUTCOME_OPEN || (!last && !is_final(suite, job)))
		return;
	if (!matters(job->outcome) && options->log != RFS_LOG_VERBOSE)
		return;
	job->shown = true;
	name = rfs_job_name(job);
	rfs_log_status(NULL);
	printf("%-15s %s", rfs_outcome_word(job->outcome), name);
	if (job->says)
		printf(": %s", job->says);
	if (job->has_report && matters(job->outcome))
		printf("; see %s/%s", suite->output.path, job->folder);
	putchar('\n');
	fflush(stdout);
	free(name);
}

/* ---- the status line ---- */

void rfs_suite_progress(const struct rfs_suite *suite)
{
	static double last;
	const double now = rfs_clock(), left = suite->end - now;
	size_t ended = 0, found = 0;
	const struct rfs_suite_job *shown = NULL;
	char line[80], time[24] = "";
	char *name;

	if (suite->runs->options->log == RFS_LOG_QUIET || now < last + 0.2 || !isatty(STDERR_FILENO))
		return;
	last = now;
	for (size_t i = 0; i < suite->tests.n; i++) {
		ended += suite->jobs[i].outcome != RFS_OUTCOME_OPEN;
		found += suite->jobs[i].outcome == RFS_OUTCOME_FOUND;
	}
	for (unsigned i = 0; i < suite->n_slots && !shown; i++)
		shown = suite->slots[i].job;
	if (suite->end && left > 0)
		snprintf(time, sizeof(time), ", %.0f:%02.0f left", (double)((long)left / 60),
			 (double)((long)left % 60));
	name = shown ? rfs_job_name(shown) : xstrdup("");
	snprintf(line, sizeof(line), "%zu of %zu tests, %zu with findings%s: %s", ended, suite->tests.n, found, time,
		 name);
	rfs_log_status(line);
	free(name);
}

/* ---- the end ---- */

static void print_counts(const struct rfs_suite *suite)
{
	static const enum rfs_job_outcome order[] = {
		RFS_OUTCOME_FOUND,	  RFS_OUTCOME_FAILED,	  RFS_OUTCOME_FLAKY, RFS_OUTCOME_NOT_RUN,
		RFS_OUTCOME_UNCONTROLLED, RFS_OUTCOME_INCOMPLETE, RFS_OUTCOME_OK,    RFS_OUTCOME_ONE_THREAD,
		RFS_OUTCOME_SKIPPED,	  RFS_OUTCOME_DISABLED,	  RFS_OUTCOME_OPEN,
	};
	size_t counts[RFS_N_OUTCOMES] = {0}, cached = 0;

	for (size_t i = 0; i < suite->tests.n; i++) {
		counts[suite->jobs[i].outcome]++;
		cached += suite->jobs[i].cached;
	}
	printf("%zu test%s", suite->tests.n, rfs_plural(suite->tests.n));
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (counts[order[i]])
			printf(", %zu %s", counts[order[i]], rfs_outcome_word(order[i]));
	putchar('\n');
	if (suite->cache)
		printf("cache           %zu of %zu tests have not changed\n", cached, suite->tests.n);
	printf("files           %s\n", suite->output.path);
}

enum rfs_exit rfs_suite_end(struct rfs_suite *suite, struct rfs_report_own *own)
{
	enum rfs_exit status = RFS_EXIT_CLEAN;

	rfs_log_status(NULL);
	*own = (struct rfs_report_own){0};
	for (size_t i = 0; i < suite->tests.n; i++) {
		struct rfs_suite_job *job = &suite->jobs[i];

		rfs_suite_show(suite, job, true);
		status = rfs_merge_status(status, rfs_outcome_exit(job->outcome));
		if (job->outcome == RFS_OUTCOME_FAILED)
			rfs_merge_own(own, &job->own);
	}
	if (!suite->runs->options->json)
		print_counts(suite);
	if (!rfs_suite_write(suite) && status != RFS_EXIT_FINDING)
		status = RFS_EXIT_INPUT;
	return status;
}
