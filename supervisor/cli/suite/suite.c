/* suite.c - starts runs and campaigns as processes, waits for them, and ends with one report. */
#include "supervisor/cli/suite/suite.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/path.h"
#include "supervisor/base/spawn.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/cli/campaign/merge.h"
#include "supervisor/cli/campaign/resume.h"
#include "supervisor/cli/suite/find_tests.h"
#include "supervisor/cli/suite/suite-priv.h"

/* Time between two looks at the processes. */
#define LOOK_MS 3
/* Under a budget, a run without control has this part of it, but not less than SHORTEST_RUN seconds. */
#define RUN_PART 0.1
#define SHORTEST_RUN 3
/* A campaign that runs so much longer than its time is killed. */
#define LATE_FACTOR 1.5
#define LATE_SECONDS 30
/* A replay of a record in the cache must end in this time. */
#define REPLAY_SECONDS 60
/* Room for the first line of what a campaign wrote to standard error. */
#define ERROR_SIZE 1024

int rfs_suite_enter(const struct rfs_suite_test *test, char *why, size_t n)
{
	for (char **variable = test->env; *variable; variable++) {
		char *name = xstrndup(*variable, strcspn(*variable, "="));

		if (strchr(*variable, '='))
			setenv(name, strchr(*variable, '=') + 1, 1);
		else
			unsetenv(name);
		free(name);
	}
	if (test->folder && chdir(test->folder))
		return rfs_why(why, n, -errno, "cannot change to its working directory '%s': %s", test->folder,
			       strerror(errno));
	return 0;
}

/* ---- what may run now ---- */

static bool is_running(const struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	for (unsigned i = 0; i < suite->n_slots; i++)
		if (suite->slots[i].job == job)
			return true;
	return false;
}

/* Whether the test can run beside those that run now. */
static bool is_free(const struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	for (unsigned i = 0; i < suite->n_slots; i++) {
		const struct rfs_suite_job *other = suite->slots[i].job;

		if (other && (other == job || other->test->alone || job->test->alone ||
			      rfs_words_meet(other->test->locks, job->test->locks)))
			return false;
	}
	return true;
}

static bool has_ended(const struct rfs_suite_job *job)
{
	return job->watched || job->outcome != RFS_OUTCOME_OPEN;
}

/* Whether the fixtures of the test are there. If one will never be, ends the test. */
static bool has_fixtures(struct rfs_suite *suite, struct rfs_suite_job *job)
{
	for (size_t i = 0; i < suite->tests.n; i++) {
		const struct rfs_suite_job *other = &suite->jobs[i];

		if (other == job || !rfs_words_meet(other->test->sets_up, job->test->needs))
			continue;
		if (!has_ended(other))
			return false;
		if (other->outcome != RFS_OUTCOME_OK) {
			job->outcome = RFS_OUTCOME_NOT_RUN;
			job->says = xasprintf("'%s', which sets up its fixture, did not pass", other->test->name);
			return false;
		}
	}
	return true;
}

/* Whether the tests that must run before this one have run. */
static bool is_turn_of(const struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	for (size_t i = 0; i < suite->tests.n; i++)
		if (&suite->jobs[i] != job && !has_ended(&suite->jobs[i]) && !*suite->jobs[i].test->cleans_up &&
		    rfs_words_have(job->test->after, suite->jobs[i].test->name))
			return false;
	return true;
}

/* ---- the cache ---- */

/* Whether the findings of the entry can still be seen: their records are replayed. */
static bool findings_are_there(const struct rfs_cached *cached)
{
	for (char **record = cached->records; *record; record++) {
		char *const words[] = {(char *)"/proc/self/exe", (char *)"--quiet", (char *)"--replay", *record, NULL};
		char *text;
		int status;

		if (rfs_spawn_read(&(struct rfs_spawn_read){.words = words,
							    .environment = environ,
							    .quiet = true,
							    .seconds = REPLAY_SECONDS,
							    .max = SIZE_MAX},
				   &text, &status))
			return false;
		free(text);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != RFS_EXIT_FINDING)
			return false;
	}
	return true;
}

/* Puts the journal of the entry into the output folder of the campaign, which then continues. False: it does not. */
static bool take_journal(struct rfs_suite *suite, const struct rfs_suite_job *job, const char *from)
{
	char *folder = rfs_output_file(&suite->output, job->folder);
	char *to = xasprintf("%s/" RFS_JOURNAL_FILE, folder), why[1024];
	struct rfs_output output;
	bool taken = rfs_output_open(folder, suite->runs->command, &output, why, sizeof(why)) == 0;

	if (taken) {
		taken = rfs_cache_copy(from, to) == 0;
		if (taken)
			rfs_output_close(&output);
		else
			rfs_output_discard(&output);
	}
	free(to);
	free(folder);
	return taken;
}

/* Uses what the cache knows of the test. False: it must be watched. */
static bool take_cached(struct rfs_suite *suite, struct rfs_suite_job *job)
{
	struct rfs_cached cached;
	bool taken = false;

	if (!suite->cache || *job->test->sets_up || *job->test->cleans_up || job->plain_runs ||
	    !rfs_cache_find(suite->cache, job->test, &cached))
		return false;
	job->turn.first = cached.found;
	if (cached.same && !cached.threads) {
		job->outcome = RFS_OUTCOME_ONE_THREAD;
		taken = true;
	} else if (cached.same && cached.explored && !cached.found) {
		job->outcome = RFS_OUTCOME_OK;
		taken = true;
	} else if (cached.same && cached.journal && findings_are_there(&cached)) {
		taken = take_journal(suite, job, cached.journal);
		job->turn.open = taken;
	}
	if (taken) {
		job->watched = job->cached = true;
		job->watch.threads = cached.threads;
		job->watch.follow = cached.follow ? xstrdup(cached.follow) : NULL;
		job->watch.files = cached.files;
		cached.files = NULL;
	}
	rfs_cached_release(&cached);
	return taken;
}

/* The records of findings in the report of a test. Free with rfs_words_free(). */
static char **records_of(const struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	char **list = xcalloc(1, sizeof(*list)), *path = rfs_merge_file(&suite->output, job->folder, "report.json");
	char *folder = rfs_merge_file(&suite->output, job->folder, "");

	if (job->outcome == RFS_OUTCOME_FOUND)
		rfs_report_records(path, folder, &list);
	free(folder);
	free(path);
	return list;
}

static void put_cached(struct rfs_suite *suite, struct rfs_suite_job *job)
{
	const bool found = job->outcome == RFS_OUTCOME_FOUND;
	const bool known = found || job->outcome == RFS_OUTCOME_OK || job->outcome == RFS_OUTCOME_ONE_THREAD ||
			   job->outcome == RFS_OUTCOME_INCOMPLETE;
	char *folder = rfs_output_file(&suite->output, job->folder), why[1024], **records;

	if (known && job->watch.files && !*job->test->sets_up && !*job->test->cleans_up &&
	    (!job->cached || job->has_report)) {
		records = records_of(suite, job);
		if (rfs_cache_put(suite->cache, job->test,
				  &(struct rfs_cache_entry){
					  .threads = job->outcome != RFS_OUTCOME_ONE_THREAD,
					  .found = found,
					  .explored = job->turn.made && !job->turn.left && !job->turn.cut,
					  .follow = job->watch.follow,
					  .files = job->watch.files,
					  .folder = job->has_report ? folder : NULL,
					  .records = records,
				  },
				  why, sizeof(why)))
			rfs_warn("%s", why);
		rfs_words_free(records);
	}
	free(folder);
}

/* ---- start and end of one thing ---- */

static double seconds_left(const struct rfs_suite *suite)
{
	const double left = suite->end - rfs_clock();

	return left > 0 ? left : 0;
}

static double run_limit(const struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	const struct rfs_options *options = suite->runs->options;
	double limit =
		job->test->timeout > 0 && !options->timeout_given ? job->test->timeout : options->run.limits.timeout;
	double part = options->budget * RUN_PART;

	if (part < SHORTEST_RUN)
		part = SHORTEST_RUN;
	return suite->end && (limit <= 0 || part < limit) ? part : limit;
}

static bool begin_watch(struct rfs_suite *suite, struct rfs_suite_slot *slot, struct rfs_suite_job *job)
{
	int error;

	slot->campaign = false;
	slot->began = rfs_clock();
	slot->limit = run_limit(suite, job);
	error = rfs_watch_start(job->test, suite->runs, slot->limit, &slot->watching);
	if (error)
		die("cannot make a process: %s", strerror(-error));
	slot->pid = slot->watching.pid;
	slot->job = job;
	return true;
}

/* The next test whose run without control is due. */
static bool start_watch(struct rfs_suite *suite, struct rfs_suite_slot *slot, bool cleanup)
{
	for (size_t i = 0; i < suite->tests.n; i++) {
		struct rfs_suite_job *job = &suite->jobs[i];

		if (has_ended(job) || is_running(suite, job) || (*job->test->cleans_up != NULL) != cleanup)
			continue;
		if (has_fixtures(suite, job) && is_turn_of(suite, job) && is_free(suite, job) &&
		    !take_cached(suite, job))
			return begin_watch(suite, slot, job);
	}
	return false;
}

static bool start_turn(struct rfs_suite *suite, struct rfs_suite_slot *slot)
{
	struct rfs_turn *turns = xcalloc(suite->tests.n, sizeof(*turns));
	double seconds = 0;
	size_t next;
	int error = 0;

	for (size_t i = 0; i < suite->tests.n; i++) {
		turns[i] = suite->jobs[i].turn;
		turns[i].waits = is_free(suite, &suite->jobs[i]);
	}
	next = rfs_turn_next(turns, suite->tests.n);
	if (next < suite->tests.n && suite->end)
		seconds = rfs_turn_seconds(turns, suite->tests.n, next, seconds_left(suite), suite->n_slots);
	free(turns);
	if (next == suite->tests.n || (suite->end && seconds <= 0))
		return false;
	slot->job = &suite->jobs[next];
	error = rfs_campaign_start(suite, slot, seconds);
	if (error)
		die("cannot make a process: %s", strerror(-error));
	return true;
}

/* The first line of what a campaign wrote to standard error, without its beginning "rfsup: ". */
static void read_error(int fd, char out[ERROR_SIZE])
{
	static const char name[] = "rfsup: ";
	const ssize_t got = pread(fd, out, ERROR_SIZE - 1, 0);

	out[got > 0 ? got : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	if (strncmp(out, name, sizeof(name) - 1) == 0)
		memmove(out, out + sizeof(name) - 1, strlen(out) - sizeof(name) + 2);
	close(fd);
}

/* Writes what a test wrote when it failed without control. */
static void save_output(struct rfs_suite *suite, const struct rfs_suite_job *job)
{
	char *folder = rfs_output_file(&suite->output, job->folder), *name, why[1024];

	if (job->outcome == RFS_OUTCOME_FAILED && job->watch.output && *job->watch.output) {
		name = xasprintf("%s/output.txt", job->folder);
		if (mkdir(folder, 0700) && errno != EEXIST)
			rfs_error("cannot make the directory '%s': %s", folder, strerror(errno));
		else if (rfs_output_write(&suite->output, name, job->watch.output, strlen(job->watch.output), why,
					  sizeof(why)))
			rfs_error("%s", why);
		free(name);
	}
	free(folder);
}

static void end_slot(struct rfs_suite *suite, struct rfs_suite_slot *slot, int status)
{
	struct rfs_suite_job *job = slot->job;
	char errors[ERROR_SIZE];

	slot->job = NULL;
	if (!slot->campaign) {
		rfs_watch_release(&job->watch);
		rfs_watch_finish(&slot->watching, &job->watch);
		/* a run that was interrupted says nothing */
		if (job->watch.end != RFS_WATCHED_NOTHING || !rfs_interrupted(suite->runs->cancel_fd))
			rfs_job_watched(job, slot->limit);
		save_output(suite, job);
	} else {
		read_error(slot->errors, errors);
		job->turn.made++;
		job->turn.seconds += rfs_clock() - slot->began;
		rfs_job_explored(suite, job, status, errors);
		/* without a budget, nothing was cut short that another turn could make */
		job->turn.open &= suite->end > 0;
	}
	rfs_suite_show(suite, job, false);
	if (job->outcome == RFS_OUTCOME_FOUND && suite->runs->options->until_failure)
		suite->stops = true;
}

/* ---- the loop ---- */

static size_t count_running(const struct rfs_suite *suite)
{
	size_t n = 0;

	for (unsigned i = 0; i < suite->n_slots; i++)
		n += suite->slots[i].job != NULL;
	return n;
}

static bool watches_run(const struct rfs_suite *suite)
{
	for (unsigned i = 0; i < suite->n_slots; i++)
		if (suite->slots[i].job && !suite->slots[i].campaign)
			return true;
	return false;
}

/* Ends what has ended; kills what should have ended long ago. */
static void reap(struct rfs_suite *suite)
{
	for (unsigned i = 0; i < suite->n_slots; i++) {
		struct rfs_suite_slot *slot = &suite->slots[i];
		int status;

		if (!slot->job)
			continue;
		if (waitpid(slot->pid, &status, WNOHANG) == slot->pid)
			end_slot(suite, slot, status);
		else if (slot->limit > 0 && rfs_clock() > slot->began + LATE_FACTOR * slot->limit + LATE_SECONDS)
			kill(slot->pid, SIGKILL);
	}
}

static void start_all(struct rfs_suite *suite, bool cleanup)
{
	for (unsigned i = 0; i < suite->n_slots && !suite->stops; i++) {
		struct rfs_suite_slot *slot = &suite->slots[i];

		if (slot->job || start_watch(suite, slot, cleanup))
			continue;
		/* the cheap runs of all tests come first */
		if (cleanup || watches_run(suite) || !start_turn(suite, slot))
			break;
	}
}

/* Runs until nothing can be started any more. cleanup: only tests that clean up fixtures. */
static void suite_loop(struct rfs_suite *suite, bool cleanup)
{
	struct pollfd wait = {.fd = suite->runs->cancel_fd, .events = POLLIN};
	bool told = false;

	for (;;) {
		reap(suite);
		if (!cleanup && rfs_interrupted(suite->runs->cancel_fd)) {
			suite->stops = true;
			for (unsigned i = 0; i < suite->n_slots && !told; i++)
				if (suite->slots[i].job)
					kill(suite->slots[i].pid, SIGTERM);
			told = true;
			wait.fd = -1;
		}
		start_all(suite, cleanup);
		if (!count_running(suite))
			break;
		rfs_suite_progress(suite);
		(void)poll(&wait, 1, LOOK_MS);
	}
}

/* ---- the whole ---- */

/* "007-name". The number keeps names apart that differ only in characters that folders cannot have. Caller frees. */
static char *folder_of(const struct rfs_suite_job *job, size_t i)
{
	char *own = rfs_job_name(job), *name = xasprintf("%03zu-%s", i + 1, own);

	for (char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c <= ' ' || *c == 127)
			*c = '-';
	if (strlen(name) > 100)
		name[100] = '\0';
	free(own);
	return name;
}

static void make_jobs(struct rfs_suite *suite)
{
	suite->jobs = xcalloc(suite->tests.n, sizeof(*suite->jobs));
	for (size_t i = 0; i < suite->tests.n; i++) {
		struct rfs_suite_job *job = &suite->jobs[i];

		job->test = &suite->tests.list[i];
		job->folder = folder_of(job, i);
		if (job->test->disabled) {
			job->outcome = RFS_OUTCOME_DISABLED;
		} else if (!job->test->words) {
			job->outcome = RFS_OUTCOME_NOT_RUN;
			job->says = xstrdup("its program does not exist; build it");
		} else if (strcmp(rfs_base_name(*job->test->words), "rfsup") == 0) {
			job->outcome = RFS_OUTCOME_NOT_RUN;
			job->says = xstrdup("the build starts it through rfsup; configure a build folder without that");
		}
	}
}

/* What the outcomes are that nothing has decided. */
static void end_jobs(struct rfs_suite *suite)
{
	for (size_t i = 0; i < suite->tests.n; i++) {
		struct rfs_suite_job *job = &suite->jobs[i];

		if (job->outcome != RFS_OUTCOME_OPEN)
			continue;
		if (job->watched) {
			job->outcome = RFS_OUTCOME_INCOMPLETE;
			job->says = xstrdup(suite->stops ? "the suite was ended before it was explored"
							 : "the budget ended before it was explored; raise --budget");
		} else if (!suite->stops) {
			job->outcome = RFS_OUTCOME_NOT_RUN;
			job->says = xstrdup("its fixtures or dependencies wait for each other");
		}
	}
}

static void open_suite(struct rfs_suite *suite)
{
	const struct rfs_options *options = suite->runs->options;
	char why[1024], *path, **words;

	if (rfs_find_tests(options->suite, &suite->tests, why, sizeof(why)))
		die("%s", why);
	if (options->cache) {
		words = rfs_suite_options(suite->runs->command);
		if (rfs_cache_open(options->cache, words, &suite->cache, why, sizeof(why)))
			die("%s", why);
		rfs_words_free(words);
	}
	if (rfs_output_open(options->output, suite->runs->command, &suite->output, why, sizeof(why)))
		die("%s", why);
	/* the processes of tests are in other directories */
	path = realpath(suite->output.path, NULL);
	if (path) {
		free(suite->output.path);
		suite->output.path = path;
	}
	make_jobs(suite);
	suite->n_slots = options->jobs;
	suite->slots = xcalloc(suite->n_slots, sizeof(*suite->slots));
	suite->end = options->budget > 0 ? rfs_clock() + options->budget : 0;
}

/* The journals of campaigns with nothing left to try are of no use. */
static void close_journals(struct rfs_suite *suite)
{
	for (size_t i = 0; i < suite->tests.n; i++)
		if (suite->jobs[i].turn.made && !suite->jobs[i].turn.open) {
			char *path = rfs_merge_file(&suite->output, suite->jobs[i].folder, RFS_JOURNAL_FILE);

			unlink(path);
			free(path);
		}
}

static void close_suite(struct rfs_suite *suite)
{
	for (size_t i = 0; i < suite->tests.n; i++) {
		free(suite->jobs[i].folder);
		free(suite->jobs[i].says);
		rfs_watch_release(&suite->jobs[i].watch);
	}
	free(suite->jobs);
	free(suite->slots);
	rfs_cache_free(suite->cache);
	rfs_output_close(&suite->output);
	rfs_suite_tests_release(&suite->tests);
}

enum rfs_exit rfs_suite(const struct rfs_suite_runs *runs, struct rfs_report_own *own)
{
	struct rfs_suite suite = {.runs = runs};
	enum rfs_exit status;
	bool stopped;

	open_suite(&suite);
	suite_loop(&suite, false);
	/* what was set up is cleaned up, even after an interrupt */
	stopped = suite.stops;
	suite.stops = false;
	suite_loop(&suite, true);
	suite.stops = stopped;
	end_jobs(&suite);
	for (size_t i = 0; suite.cache && i < suite.tests.n; i++)
		put_cached(&suite, &suite.jobs[i]);
	close_journals(&suite);
	status = rfs_suite_end(&suite, own);
	close_suite(&suite);
	return status;
}
