/* outcomes.c - what the runs without control, and the campaigns, say about tests. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "supervisor/base/alloc.h"
#include "supervisor/cli/campaign/merge.h"
#include "supervisor/cli/suite/judge.h"
#include "supervisor/cli/suite/suite-priv.h"
#include "supervisor/report/data/report.h"

/* A test that fails runs so often without control. */
#define PLAIN_RUNS 3
/* A campaign of which only single runs were cut short is not made again after this many turns. */
#define MOST_TURNS 4

static const struct {
	const char *word;
	enum rfs_exit exit;
} outcomes[RFS_N_OUTCOMES] = {
	[RFS_OUTCOME_OPEN] = {"not started", RFS_EXIT_INCOMPLETE},
	[RFS_OUTCOME_OK] = {"ok", RFS_EXIT_CLEAN},
	[RFS_OUTCOME_ONE_THREAD] = {"without threads", RFS_EXIT_CLEAN},
	[RFS_OUTCOME_FOUND] = {"FOUND", RFS_EXIT_FINDING},
	[RFS_OUTCOME_FAILED] = {"FAILED", RFS_EXIT_INCOMPLETE},
	[RFS_OUTCOME_FLAKY] = {"FLAKY", RFS_EXIT_INCOMPLETE},
	[RFS_OUTCOME_SKIPPED] = {"skipped", RFS_EXIT_CLEAN},
	[RFS_OUTCOME_DISABLED] = {"disabled", RFS_EXIT_CLEAN},
	[RFS_OUTCOME_NOT_RUN] = {"not run", RFS_EXIT_INPUT},
	[RFS_OUTCOME_UNCONTROLLED] = {"not controlled", RFS_EXIT_UNCONTROLLED},
	[RFS_OUTCOME_INCOMPLETE] = {"incomplete", RFS_EXIT_INCOMPLETE},
};

const char *rfs_outcome_word(enum rfs_job_outcome outcome)
{
	return outcomes[outcome].word;
}

enum rfs_exit rfs_outcome_exit(enum rfs_job_outcome outcome)
{
	return outcomes[outcome].exit;
}

char *rfs_job_name(const struct rfs_suite_job *job)
{
	return job->test->in_suite ? xasprintf("%s.%s", job->test->suite, job->test->name) : xstrdup(job->test->name);
}

static void job_set(struct rfs_suite_job *job, enum rfs_job_outcome outcome, char *says)
{
	job->outcome = outcome;
	free(job->says);
	job->says = says;
}

/* ---- without control ---- */

/* "status 3", "signal 11 (Segmentation fault)". Caller frees. */
static char *ending(bool signal, int number)
{
	return signal ? xasprintf("signal %d (%s)", number, strsignal(number)) : xasprintf("status %d", number);
}

/* output: what about its output decided, or NULL. */
static void set_failed(struct rfs_suite_job *job, const char *output)
{
	const struct rfs_watch *watch = &job->watch;
	const bool signal = watch->end == RFS_WATCHED_SIGNAL, passes = !signal && !watch->number;
	char *how = ending(signal, watch->number);

	/* if the test failed although its exit status is 0, the failure has status 1 */
	job->own = (struct rfs_report_own){true, signal, passes ? 1 : watch->number};
	if (job->test->fails && !output && (passes || *job->test->passing))
		job_set(job, RFS_OUTCOME_FAILED, xstrdup("it passes, but it should fail"));
	else if (output)
		job_set(job, RFS_OUTCOME_FAILED, xasprintf("%s in each of %u runs", output, job->plain_runs));
	else
		job_set(job, RFS_OUTCOME_FAILED,
			xasprintf("it fails without rfsup in each of %u runs (%s)", job->plain_runs, how));
	free(how);
}

/* A test that runs longer than it may. */
static void set_endless(struct rfs_suite_job *job, double limit)
{
	if (job->test->timeout > 0 && limit >= job->test->timeout) {
		job->own = (struct rfs_report_own){.failed = true, .number = 1};
		job_set(job, RFS_OUTCOME_FAILED,
			xasprintf("without rfsup, it does not end within its TIMEOUT of %g s", job->test->timeout));
	} else {
		job_set(job, RFS_OUTCOME_INCOMPLETE,
			xasprintf("without rfsup, it does not end within %.0f s; raise --budget or --timeout", limit));
	}
}

/* Why campaigns, which call each status but 0 a failure, would judge the test otherwise than its build system; NULL:
 * they would not. */
static const char *not_explored(const struct rfs_suite_job *job)
{
	if (job->test->fails)
		return "it fails, as it should, so it is not explored";
	if (*job->test->passing && job->watch.number)
		return "its output decides, and its exit status is not 0, so it is not explored";
	return NULL;
}

/* What a run means that ended by itself or sleeps forever. output: as in set_failed(). */
static void take_run(struct rfs_suite_job *job, bool passed, const char *output)
{
	const struct rfs_watch *watch = &job->watch;
	const struct rfs_suite_test *test = job->test;
	const char *unexplored = watch->threads ? not_explored(job) : NULL;

	job->plain_runs = ++job->watched_runs;
	job->watched_failures += !passed;
	job->plain_failures = job->watched_failures;
	if (!passed && job->plain_failures == job->plain_runs && watch->end != RFS_WATCHED_ASLEEP) {
		/* again: it may fail sometimes only */
		if (job->plain_runs < PLAIN_RUNS)
			job->watched = false;
		else
			set_failed(job, output);
	} else if (*test->sets_up || *test->cleans_up) {
		job_set(job, RFS_OUTCOME_OK, xstrdup("it belongs to a fixture, so it is not explored"));
	} else if (unexplored && job->plain_runs < PLAIN_RUNS) {
		job->watched = false;
	} else if (unexplored && !job->plain_failures) {
		job_set(job, RFS_OUTCOME_OK, xstrdup(unexplored));
	} else if (watch->threads && !unexplored) {
		job->turn.open = true;
	} else if (watch->end == RFS_WATCHED_ASLEEP) {
		job->own = (struct rfs_report_own){.failed = true, .number = 1};
		job_set(job, RFS_OUTCOME_FAILED, xstrdup("without rfsup, it sleeps forever"));
	} else if (job->plain_failures) {
		job_set(job, RFS_OUTCOME_FLAKY,
			xasprintf("%s, and %u of %u runs without rfsup failed",
				  watch->threads ? "it is not explored" : "it has one thread", job->plain_failures,
				  job->plain_runs));
	} else {
		job_set(job, RFS_OUTCOME_ONE_THREAD, NULL);
	}
}

void rfs_job_watched(struct rfs_suite_job *job, double limit)
{
	const struct rfs_watch *watch = &job->watch;
	char *output = NULL;

	job->watched = true;
	if (watch->end == RFS_WATCHED_NOTHING) {
		job_set(job, RFS_OUTCOME_NOT_RUN, xstrdup(watch->why ? watch->why : "its run failed"));
		return;
	}
	if (watch->end == RFS_WATCHED_ENDLESS) {
		set_endless(job, limit);
		return;
	}
	switch (rfs_suite_judge(job->test, watch, &output)) {
	case RFS_JUDGED_PASSES:
		take_run(job, true, output);
		break;
	case RFS_JUDGED_FAILS:
		take_run(job, false, output);
		break;
	case RFS_JUDGED_SKIPPED:
		job_set(job, RFS_OUTCOME_SKIPPED, NULL);
		break;
	case RFS_JUDGED_UNKNOWN:
		job_set(job, RFS_OUTCOME_INCOMPLETE,
			xstrdup("its output decides whether it passes, and is too long to be kept"));
		break;
	}
	free(output);
}

/* ---- campaigns ---- */

static unsigned long number_of(const json_t *object, const char *key)
{
	return (unsigned long)json_integer_value(json_object_get(object, key));
}

/* Counts what is left to try. */
static void take_counts(struct rfs_suite_job *job, const json_t *report)
{
	static const char *const lists[] = {"pairs", "predicted_deadlocks", "predicted_violations"};
	const unsigned long left = job->turn.left;
	json_t *item;
	size_t i;

	job->turn.untried = 0;
	job->turn.left = job->turn.runs = job->turn.cut = 0;
	json_array_foreach(json_object_get(report, "phases"), i, item)
	{
		unsigned long planned = number_of(item, "planned"), runs = number_of(item, "runs");

		job->turn.left += planned > runs ? planned - runs : 0;
		job->turn.cut += number_of(item, "cut");
		job->turn.runs += runs;
	}
	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++)
		json_array_foreach(json_object_get(report, lists[k]), i, item) job->turn.untried +=
			number_of(item, "planned") && !number_of(item, "runs");
	/* a turn that has brought nothing is the last one */
	job->turn.open = job->turn.left > 0 && (job->turn.made == 1 || job->turn.left != left);
	/* made again from the beginning, with more time; a finding might not be seen again */
	job->turn.open |=
		!job->turn.left && job->turn.cut && job->status != RFS_EXIT_FINDING && job->turn.made < MOST_TURNS;
}

static void take_plain(struct rfs_suite_job *job, const json_t *plain)
{
	const json_t *always = json_object_get(plain, "always"), *signal = json_object_get(always, "signal");

	job->plain_runs = job->watched_runs + (unsigned)number_of(plain, "runs");
	job->plain_failures = job->watched_failures + (unsigned)number_of(plain, "failures");
	if (always)
		job->own = (struct rfs_report_own){
			true, signal != NULL,
			(int)json_integer_value(signal ? signal : json_object_get(always, "status"))};
}

/* The result of a campaign that ended as planned. reason: why it is incomplete, or NULL. */
static void take_status(const struct rfs_suite *suite, struct rfs_suite_job *job, const char *reason,
			const char *errors)
{
	const char *why = reason ? reason : *errors ? errors : NULL;
	const bool one = reason && strcmp(reason, RFS_ONE_THREAD) == 0;

	switch (job->status) {
	case RFS_EXIT_FINDING:
		job_set(job, RFS_OUTCOME_FOUND, rfs_merge_result(&suite->output, job->folder));
		return;
	case RFS_EXIT_CLEAN:
		if (job->watched_failures)
			job_set(job, RFS_OUTCOME_FLAKY,
				xasprintf("%u of %u runs without rfsup failed, and its campaign found nothing",
					  job->plain_failures, job->plain_runs));
		else
			job_set(job, one ? RFS_OUTCOME_ONE_THREAD : RFS_OUTCOME_OK, NULL);
		return;
	case RFS_EXIT_INPUT:
		job_set(job, RFS_OUTCOME_NOT_RUN, xstrdup(why ? why : "rfsup gave no reason"));
		job->turn.open = false;
		return;
	case RFS_EXIT_UNCONTROLLED:
		job_set(job, RFS_OUTCOME_UNCONTROLLED, xstrdup(why ? why : "rfsup gave no reason"));
		job->turn.open = false;
		return;
	case RFS_EXIT_INCOMPLETE:
		if (job->own.failed) {
			job_set(job, RFS_OUTCOME_FAILED, rfs_merge_result(&suite->output, job->folder));
		} else {
			job_set(job, RFS_OUTCOME_INCOMPLETE, xstrdup(why ? why : "rfsup gave no reason"));
		}
		return;
	}
	job_set(job, RFS_OUTCOME_UNCONTROLLED, xasprintf("its campaign ended with status %d", (int)job->status));
	job->turn.open = false;
}

void rfs_job_explored(struct rfs_suite *suite, struct rfs_suite_job *job, int status, const char *errors)
{
	char *path = rfs_merge_file(&suite->output, job->folder, "report.json");
	json_t *report = json_load_file(path, 0, NULL);

	job->has_report = report != NULL;
	job->status = WIFEXITED(status) ? (enum rfs_exit)WEXITSTATUS(status) : RFS_EXIT_UNCONTROLLED;
	take_counts(job, report);
	take_plain(job, json_object_get(report, "plain"));
	if (WIFEXITED(status)) {
		take_status(suite, job, json_string_value(json_object_get(report, "incomplete")), errors);
	} else {
		job->turn.open = false;
		job_set(job, RFS_OUTCOME_UNCONTROLLED,
			WTERMSIG(status) == SIGKILL
				? xstrdup("its campaign was killed, because it did not end in time or memory was short")
				: xasprintf("its campaign was ended by signal %d", WTERMSIG(status)));
	}
	json_decref(report);
	free(path);
}
