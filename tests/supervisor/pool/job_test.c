/* job_test.c - jobs with artificial runs: order, restarts, deaths, files and limits. */
#include "supervisor/pool/job.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/siteset.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "tests/supervisor/scratch.h"

TestSuite(job, .timeout = 60);

#define MAX 64

/* What done() was told. */
struct seen {
	uint64_t n;
	struct {
		uint64_t i, steps;
		enum rfs_run_end end;
		char message[128];
	} runs[MAX];
	uint64_t keep;		     /* the run whose files are kept */
	struct rfs_run_spec options; /* options of all runs */
};

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct seen *seen = arg;

	snprintf(out->name, sizeof(out->name), "run-%d", (int)i);
	out->spec = seen->options;
	out->spec.seed = i;
}

static bool done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct seen *seen = arg;

	(void)execution;
	if (seen->n < MAX) {
		seen->runs[seen->n].i = i;
		seen->runs[seen->n].end = result->end;
		seen->runs[seen->n].steps = result->counts.steps;
		snprintf(seen->runs[seen->n].message, sizeof(seen->runs[seen->n].message), "%s",
			 result->message ? result->message : "");
		seen->n++;
	}
	return i == seen->keep;
}

/*
 * Run 5 finds a spin read. Run 15 finds another one, and needs both to continue. Later runs are faster, so with several
 * jobs they overtake earlier ones. steps: how many spin reads the run knew.
 */
static int spins(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	size_t needed = spec->seed == 15 ? 2 : spec->seed == 5 ? 1 : 0;

	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	if (spec->lessons.n_spin < needed) {
		out->end = RFS_END_RESTART;
		out->n_spin = 1;
		out->spin = xcalloc(1, sizeof(*out->spin));
		out->spin[0].module = xstrdup("module");
		out->spin[0].offset = spec->seed;
		return 0;
	}
	usleep((20 - spec->seed) * 300);
	out->counts.steps = spec->lessons.n_spin;
	return 0;
}

static enum rfs_pool_end run(const struct rfs_pool_settings *settings, uint64_t n, struct seen *seen, char *why,
			     size_t why_n)
{
	const struct rfs_batch batch = {.n = n, .make = make, .done = done, .arg = seen};
	struct rfs_pool *pool;
	enum rfs_pool_end end;

	cr_assert_eq(rfs_pool_new(settings, &pool), 0);
	end = rfs_pool_run(pool, &batch, why, why_n);
	rfs_pool_free(pool);
	return end;
}

Test(job, results_do_not_depend_on_the_number_of_jobs)
{
	char why[256] = "";

	for (unsigned jobs = 1; jobs <= 5; jobs += 2) {
		const struct rfs_pool_settings settings = {.run = spins, .jobs = jobs, .cancel_fd = -1};
		struct seen seen = {.keep = MAX};

		cr_assert_eq(run(&settings, 20, &seen, why, sizeof(why)), RFS_POOL_DONE);
		cr_assert_eq(seen.n, 20);
		for (uint64_t i = 0; i < 20; i++) {
			cr_expect_eq(seen.runs[i].i, i);
			cr_expect_eq(seen.runs[i].end, RFS_END_EXIT);
			cr_expect_eq(seen.runs[i].steps,
				     i < 5    ? 0
				     : i < 15 ? 1
					      : 2,
				     "run %d with %u jobs", (int)i, jobs);
		}
	}
}

/* From run 3 on, a run needs rdtsc to trap, and restarts if it does not. steps: whether it traps. */
static int counts(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	out->counts.steps = spec->lessons.traps_rdtsc;
	if (spec->seed >= 3 && !spec->lessons.traps_rdtsc) {
		out->end = RFS_END_RESTART;
		out->restart = RFS_RESTART_TRAP_RDTSC;
	}
	return 0;
}

Test(job, what_one_run_learns_the_next_ones_start_with)
{
	const struct rfs_pool_settings settings = {.run = counts, .jobs = 2, .cancel_fd = -1};
	const struct rfs_batch batch = {.n = 8, .make = make, .done = done, .arg = &(struct seen){.keep = MAX}};
	const struct seen *seen = batch.arg;
	struct rfs_pool *pool;
	char why[256] = "";

	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	cr_assert_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_DONE);
	cr_assert_eq(seen->n, 8);
	for (uint64_t i = 0; i < 8; i++) {
		cr_expect_eq(seen->runs[i].end, RFS_END_EXIT, "run %d", (int)i);
		cr_expect_eq(seen->runs[i].steps, i >= 3, "run %d", (int)i);
	}
	cr_expect_geq(rfs_pool_restarts(pool), 1);
	cr_expect_eq(rfs_pool_spin(pool)->n, 0, "it is no spin read");
	rfs_pool_free(pool);
}

static int dies(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	if (spec->seed == 1)
		raise(SIGKILL);
	if (spec->seed == 2)
		_exit(9);
	if (spec->seed == 3) {
		/* asks for the same restart again and again */
		out->end = RFS_END_RESTART;
		return 0;
	}
	return 0;
}

Test(job, death_is_an_uncontrolled_run)
{
	const struct rfs_pool_settings settings = {.run = dies, .jobs = 2, .cancel_fd = -1};
	struct seen seen = {.keep = MAX};
	char why[256] = "";

	cr_assert_eq(run(&settings, 5, &seen, why, sizeof(why)), RFS_POOL_DONE);
	cr_assert_eq(seen.n, 5);
	cr_expect_eq(seen.runs[0].end, RFS_END_EXIT);
	for (int i = 1; i <= 3; i++)
		cr_expect_eq(seen.runs[i].end, RFS_END_UNCONTROLLED);
	cr_expect_not_null(strstr(seen.runs[1].message, "signal 9"));
	cr_expect_not_null(strstr(seen.runs[2].message, "status 9"));
	cr_expect_not_null(strstr(seen.runs[3].message, "learnt nothing new"));
	cr_expect_eq(seen.runs[4].end, RFS_END_EXIT);
}

static int hangs(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	if (spec->seed == 1)
		for (;;)
			pause();
	return 0;
}

Test(job, budget_ends_what_hangs)
{
	struct rfs_pool_settings settings = {.run = hangs, .jobs = 1, .cancel_fd = -1};
	struct seen seen = {.keep = MAX};
	char why[256] = "";

	settings.deadline = rfs_clock() + 0.5;
	cr_assert_eq(run(&settings, 5, &seen, why, sizeof(why)), RFS_POOL_BUDGET);
	cr_expect_eq(seen.n, 1);
	/* after the deadline no run is started */
	cr_assert_eq(run(&settings, 1, &seen, why, sizeof(why)), RFS_POOL_BUDGET);
	cr_expect_eq(seen.n, 1);
}

static void driven_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	make(arg, i, out);
	out->spec.job.drive = "while true; do sleep 0.1; done";
}

/* The job is killed at the deadline, while its load driver is running. The driver must not keep the pool waiting. */
Test(job, a_killed_run_leaves_no_load_driver, .timeout = 60)
{
	struct rfs_pool_settings settings = {.run = hangs, .jobs = 1, .cancel_fd = -1};
	struct seen seen = {.keep = MAX};
	struct rfs_batch batch = {.n = 5, .make = driven_make, .done = done, .arg = &seen};
	struct rfs_pool *pool;
	char why[256] = "";

	settings.deadline = rfs_clock() + 0.5;
	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	cr_expect_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_BUDGET);
	rfs_pool_free(pool);
	cr_expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a process is left");
}

/* The pool can be used on after a batch that ran into its own deadline. */
Test(job, a_batch_can_have_an_earlier_deadline)
{
	const struct rfs_pool_settings settings = {.run = hangs, .jobs = 1, .cancel_fd = -1};
	struct seen seen = {.keep = MAX};
	struct rfs_batch batch = {.n = 5, .make = make, .done = done, .arg = &seen};
	struct rfs_pool *pool;
	char why[256] = "";

	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	batch.deadline = rfs_clock() + 0.5;
	cr_assert_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_BUDGET);
	cr_expect_eq(seen.n, 1);
	batch.deadline = 0;
	batch.n = 1;
	cr_assert_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_DONE);
	cr_expect_eq(seen.n, 2);
	rfs_pool_free(pool);
}

struct until {
	struct seen seen;
	bool enough;
};

static void until_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	make(&((struct until *)arg)->seen, i, out);
}

static bool until_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct until *until = arg;

	until->enough = i == 3;
	return done(&until->seen, i, execution, result);
}

/* With several jobs, later executions have started or even ended by then. */
Test(job, enough_ends_a_batch_at_the_same_execution)
{
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		const struct rfs_pool_settings settings = {.run = spins, .jobs = jobs, .cancel_fd = -1};
		struct until until = {.seen = {.keep = MAX}};
		const struct rfs_batch batch = {
			.n = 20, .enough = &until.enough, .make = until_make, .done = until_done, .arg = &until};
		struct rfs_pool *pool;
		char why[256] = "";

		cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
		cr_assert_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_ENOUGH);
		cr_expect_eq(until.seen.n, 4, "%u jobs", jobs);
		rfs_pool_free(pool);
	}
}

Test(job, interrupt_ends_what_hangs)
{
	struct rfs_pool_settings settings = {.run = hangs, .jobs = 2};
	struct seen seen = {.keep = MAX};
	char why[256] = "";
	int ends[2];
	pid_t child;

	cr_assert_eq(pipe(ends), 0);
	settings.cancel_fd = ends[0];
	child = fork();
	if (child == 0) {
		usleep(300000);
		_exit(write(ends[1], "", 1) != 1);
	}
	cr_assert_eq(run(&settings, 5, &seen, why, sizeof(why)), RFS_POOL_INTERRUPTED);
	cr_expect_eq(seen.n, 1, "what came before the one that hangs is handed over");
}

static int fails(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	memset(out, 0, sizeof(*out));
	if (spec->seed < 2)
		return 0;
	snprintf(why, n, "cannot start number %d", (int)spec->seed);
	return -EPERM;
}

Test(job, first_error_ends_the_batch)
{
	const struct rfs_pool_settings settings = {.run = fails, .jobs = 3, .cancel_fd = -1};
	struct seen seen = {.keep = MAX};
	char why[256] = "";

	cr_assert_eq(run(&settings, 9, &seen, why, sizeof(why)), RFS_POOL_FAILED);
	cr_expect_eq(seen.n, 2);
	cr_expect_str_eq(why, "cannot start number 2");
}

/* Prints its working directory and the contents of that directory. */
static int looks(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	if (chdir(spec->process.cwd))
		return -errno;
	out->counts.steps = access("from_dir", F_OK) == 0;
	out->counts.steps += 2 * (access("from_setup", F_OK) == 0);
	out->counts.steps += 4 * (access("from_another_run", F_OK) == 0);
	close(open("from_another_run", O_CREAT | O_WRONLY, 0666));
	dprintf(spec->process.fd_out, "output %d\n", (int)spec->seed);
	return 0;
}

Test(job, fresh_folder_setup_and_files)
{
	char *scratch = scratch_enter(), why[256] = "", *text;
	const struct rfs_pool_settings settings = {
		.run = looks,
		.jobs = 2,
		.output = "runs",
		.cancel_fd = -1,
	};
	struct seen seen = {
		.keep = 3,
		.options = {.job.setup = "touch from_setup", .job.fresh_dir = "dir", .job.fresh_root = "fresh"},
	};

	cr_assert_eq(mkdir("runs", 0777) + mkdir("dir", 0777) + mkdir("fresh", 0777), 0);
	scratch_file("dir/from_dir", "", 0, 0666);
	cr_assert_eq(run(&settings, 6, &seen, why, sizeof(why)), RFS_POOL_DONE, "%s", why);
	for (int i = 0; i < 6; i++)
		cr_expect_eq(seen.runs[i].steps, 3);
	text = scratch_read("runs/run-3.out");
	cr_assert_not_null(text);
	cr_expect_str_eq(text, "output 3\n");
	free(text);
	cr_expect_eq(access("runs/run-2.out", F_OK), -1);
	cr_expect_eq(rmdir("fresh"), 0, "copies are removed");
	scratch_leave(scratch);
}

Test(job, failing_setup_is_said)
{
	char *scratch = scratch_enter(), why[256] = "";
	const struct rfs_pool_settings settings = {.run = looks, .jobs = 1, .cancel_fd = -1};
	struct seen seen = {.keep = MAX, .options.job.setup = "exit 7"};

	cr_assert_eq(run(&settings, 1, &seen, why, sizeof(why)), RFS_POOL_FAILED);
	cr_expect_not_null(strstr(why, "status 7"), "%s", why);
	scratch_leave(scratch);
}

/* As after a signal that has interrupted an earlier wait. */
static bool done_interrupted(void *arg, uint64_t i, const struct rfs_execution *execution,
			     struct rfs_run_result *result)
{
	const bool keep = done(arg, i, execution, result);

	errno = EINTR;
	return keep;
}

static void make_interrupted(void *arg, uint64_t i, struct rfs_execution *out)
{
	make(arg, i, out);
	errno = EINTR;
}

Test(job, an_earlier_signal_does_not_stop_the_pool, .timeout = 20)
{
	const struct rfs_pool_settings settings = {.run = spins, .jobs = 2, .cancel_fd = -1};
	struct seen seen = {.keep = MAX};
	const struct rfs_batch batch = {.n = 20, .make = make_interrupted, .done = done_interrupted, .arg = &seen};
	struct rfs_pool *pool;
	char why[256] = "";

	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	cr_expect_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_DONE);
	cr_expect_eq(seen.n, 20);
	rfs_pool_free(pool);
}
