/* worker_test.c - executions by a worker with artificial servers: order, output, deaths and refusals. */
#include "supervisor/pool/worker.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/siteset.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/server/server.h"
#include "tests/supervisor/scratch.h"

TestSuite(worker, .timeout = 60);

#define RUNS 12
#define LONG 100000

/* What done() was told of each run: whether a job or a worker made it, and how it ended. */
enum maker { NOBODY, JOB, WORKER };
struct seen {
	uint64_t n;
	enum maker by[RUNS];
	enum rfs_run_end end[RUNS];
	uint64_t spin[RUNS], round[RUNS];
	uint64_t keep;
	double timeout;
	const char *options;
};

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	const struct seen *seen = arg;

	snprintf(out->name, sizeof(out->name), "run-%d", (int)i);
	out->spec.seed = i;
	out->spec.policy = rfs_policy_find("random");
	out->spec.policy_options = seen->options;
	out->spec.limits.timeout = seen->timeout;
}

static bool done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct seen *seen = arg;

	cr_assert_eq(seen->n++, i);
	cr_assert_eq(execution->spec.seed, i);
	seen->by[i] = (enum maker)result->detail;
	seen->end[i] = result->end;
	seen->spin[i] = result->counts.accesses;
	seen->round[i] = result->counts.steps;
	return i == seen->keep;
}

static int by_job(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)why;
	(void)n;
	*out = (struct rfs_run_result){.detail = JOB, .counts.accesses = spec->lessons.n_spin};
	return 0;
}

/* A fork server that only counts its executions. */
struct rfs_server {
	uint64_t served;
};

static int start(const struct rfs_run_spec *spec, struct rfs_server **out, char *why, size_t n)
{
	(void)spec;
	(void)why;
	(void)n;
	*out = xcalloc(1, sizeof(**out));
	return 0;
}

static int refuse(const struct rfs_run_spec *spec, struct rfs_server **out, char *why, size_t n)
{
	(void)spec;
	(void)out;
	snprintf(why, n, "it does not want to");
	return -ENOTSUP;
}

static int serve(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		 size_t n)
{
	(void)why;
	(void)n;
	*out = (struct rfs_run_result){
		.detail = WORKER, .counts.accesses = spec->lessons.n_spin, .counts.steps = ++server->served};
	dprintf(spec->process.fd_out, "output %d%s\n", (int)spec->seed,
		spec->policy_options ? spec->policy_options : "");
	return 0;
}

static void end(struct rfs_server *server)
{
	free(server);
}

static const struct rfs_server_ops good = {start, serve, end};

static enum rfs_pool_end run(struct rfs_pool *pool, uint64_t n, struct seen *seen)
{
	const struct rfs_batch batch = {.n = n, .make = make, .done = done, .arg = seen};
	char why[256] = "";

	return rfs_pool_run(pool, &batch, why, sizeof(why));
}

/* Makes a pool whose files go to a separate folder. */
static struct rfs_pool *pool_with(const struct rfs_server_ops *server, unsigned jobs)
{
	/* the pool borrows the settings, so they must stay */
	struct rfs_pool_settings *settings = xcalloc(1, sizeof(*settings));
	struct rfs_pool *pool;

	*settings = (struct rfs_pool_settings){
		.run = by_job, .server = server, .jobs = jobs, .output = "runs", .cancel_fd = -1};
	cr_assert_eq(mkdir("runs", 0777), 0);
	cr_assert_eq(rfs_pool_new(settings, &pool), 0);
	return pool;
}

static void expect_file(const char *path, const char *text)
{
	char *found = scratch_read(path);

	cr_assert_not_null(found, "%s", path);
	cr_expect_str_eq(found, text);
	free(found);
}

Test(worker, makes_a_batch_in_order_and_leaves_only_kept_files)
{
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		char *scratch = scratch_enter();
		struct rfs_pool *pool = pool_with(&good, jobs);
		struct seen seen = {.keep = 7, .options = ",a=b"};

		cr_assert_eq(run(pool, RUNS, &seen), RFS_POOL_DONE);
		cr_expect_eq(seen.n, RUNS);
		for (int i = 0; i < RUNS; i++)
			cr_expect_eq(seen.by[i], WORKER);
		if (jobs == 1)
			cr_expect_eq(seen.round[RUNS - 1], RUNS, "one server for all");
		cr_expect_eq(rfs_pool_served(pool), RUNS);
		expect_file("runs/run-7.out", "output 7,a=b\n");
		expect_file("runs/run-7.err", "");
		unlink("runs/run-7.out");
		unlink("runs/run-7.err");
		cr_expect_eq(rmdir("runs"), 0, "nothing else is there");
		rfs_pool_free(pool);
		scratch_leave(scratch);
	}
}

Test(worker, does_not_pay_for_a_few)
{
	char *scratch = scratch_enter();
	struct rfs_pool *pool = pool_with(&good, 1);
	struct seen seen = {.keep = RUNS};

	cr_assert_eq(run(pool, 2, &seen), RFS_POOL_DONE);
	cr_expect_eq(seen.by[0], JOB);
	cr_expect_eq(rfs_pool_served(pool), 0);
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

static int serve_much(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		      size_t n)
{
	char *text = xcalloc(1, LONG + 1);
	int error = serve(server, spec, out, why, n);

	memset(text, 'x', LONG);
	if (write(spec->process.fd_err, text, LONG) != LONG)
		error = -EIO;
	free(text);
	return error;
}

Test(worker, long_output_goes_to_files_at_once)
{
	static const struct rfs_server_ops much = {start, serve_much, end};
	char *scratch = scratch_enter();
	struct rfs_pool *pool = pool_with(&much, 2);
	struct seen seen = {.keep = 3};
	struct stat st;

	cr_assert_eq(run(pool, RUNS, &seen), RFS_POOL_DONE);
	cr_expect_eq(rfs_pool_served(pool), RUNS);
	expect_file("runs/run-3.out", "output 3\n");
	cr_assert_eq(stat("runs/run-3.err", &st), 0);
	cr_expect_eq(st.st_size, LONG);
	cr_expect_eq(access("runs/run-2.err", F_OK), -1, "what is not kept is removed");
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

/* Checks that descriptors are as after opening. Then leaves them in the worst state that a target can. */
static int serve_badly(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out,
		       char *why, size_t n)
{
	struct stat st;

	if (fstat(spec->process.fd_out, &st) || st.st_size != 0 || lseek(spec->process.fd_out, 0, SEEK_CUR) != 0 ||
	    (fcntl(spec->process.fd_out, F_GETFL) & (O_APPEND | O_NONBLOCK | O_ACCMODE)) != (O_APPEND | O_WRONLY) ||
	    lseek(spec->process.fd_in, 0, SEEK_CUR) != 0)
		return -EIO;
	if (serve(server, spec, out, why, n) || lseek(spec->process.fd_out, 100, SEEK_SET) != 100 ||
	    fcntl(spec->process.fd_out, F_SETFL, O_NONBLOCK) != 0)
		return -EIO;
	return 0;
}

Test(worker, descriptors_are_as_new_for_each)
{
	static const struct rfs_server_ops bad = {start, serve_badly, end};
	char *scratch = scratch_enter();
	struct rfs_pool *pool = pool_with(&bad, 1);
	struct seen seen = {.keep = 5};

	cr_assert_eq(run(pool, RUNS, &seen), RFS_POOL_DONE);
	cr_expect_eq(rfs_pool_served(pool), RUNS);
	expect_file("runs/run-5.out", "output 5\n");
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

Test(worker, a_refusal_is_said_and_all_is_done_without)
{
	static const struct rfs_server_ops refusing = {refuse, serve, end};
	char *scratch = scratch_enter();
	struct rfs_pool *pool = pool_with(&refusing, 2);
	struct seen seen = {.keep = RUNS};

	cr_assert_eq(run(pool, RUNS, &seen), RFS_POOL_DONE);
	cr_expect_eq(seen.n, RUNS);
	for (int i = 0; i < RUNS; i++)
		cr_expect_eq(seen.by[i], JOB);
	cr_expect_str_eq(rfs_pool_unserved(pool), "it does not want to");
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

static int dies(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		size_t n)
{
	if (spec->seed == 3)
		raise(SIGKILL);
	if (spec->seed == 5)
		return -ESRCH;
	return serve(server, spec, out, why, n);
}

Test(worker, one_that_dies_is_replaced_and_its_run_done_alone)
{
	static const struct rfs_server_ops dying = {start, dies, end};
	char *scratch = scratch_enter();
	struct rfs_pool *pool = pool_with(&dying, 1);
	struct seen seen = {.keep = RUNS};

	cr_assert_eq(run(pool, RUNS, &seen), RFS_POOL_DONE);
	for (int i = 0; i < RUNS; i++) {
		cr_expect_eq(seen.by[i], i == 3 || i == 5 ? JOB : WORKER, "run %d", i);
		cr_expect_eq(seen.end[i], RFS_END_EXIT);
	}
	cr_expect_eq(seen.round[4], 1, "a new server after the death");
	cr_expect_null(rfs_pool_unserved(pool));
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

static int always_dies(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out,
		       char *why, size_t n)
{
	(void)server;
	(void)spec;
	(void)out;
	(void)why;
	(void)n;
	_exit(9);
}

Test(worker, after_a_few_deaths_there_is_none_any_more)
{
	static const struct rfs_server_ops dying = {start, always_dies, end};
	char *scratch = scratch_enter();
	struct rfs_pool *pool = pool_with(&dying, 1);
	struct seen seen = {.keep = RUNS};

	cr_assert_eq(run(pool, RUNS, &seen), RFS_POOL_DONE);
	for (int i = 0; i < RUNS; i++)
		cr_expect_eq(seen.by[i], JOB);
	cr_expect_not_null(rfs_pool_unserved(pool));
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

static int hangs(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		 size_t n)
{
	if (spec->seed == 2)
		for (;;)
			pause();
	return serve(server, spec, out, why, n);
}

Test(worker, budget_ends_one_that_hangs)
{
	static const struct rfs_server_ops hanging = {start, hangs, end};
	char *scratch = scratch_enter(), why[256] = "";
	struct rfs_pool_settings settings = {
		.run = by_job, .server = &hanging, .jobs = 1, .output = "runs", .cancel_fd = -1};
	struct seen seen = {.keep = RUNS};
	const struct rfs_batch batch = {.n = RUNS, .make = make, .done = done, .arg = &seen};
	struct rfs_pool *pool;

	settings.deadline = rfs_clock() + 1;
	cr_assert_eq(mkdir("runs", 0777), 0);
	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	cr_assert_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_BUDGET);
	cr_expect_eq(seen.n, 2);
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

static int spins(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why,
		 size_t n)
{
	int error = serve(server, spec, out, why, n);

	if (spec->seed >= 5 && spec->lessons.n_spin == 0) {
		out->end = RFS_END_RESTART;
		out->n_spin = 1;
		out->spin = xcalloc(1, sizeof(*out->spin));
		out->spin[0].module = xstrdup("module");
	}
	return error;
}

Test(worker, a_spin_read_wants_another_worker)
{
	static const struct rfs_server_ops spinning = {start, spins, end};
	char *scratch = scratch_enter();
	struct rfs_pool *pool = pool_with(&spinning, 1);
	struct seen seen = {.keep = RUNS};

	cr_assert_eq(run(pool, RUNS, &seen), RFS_POOL_DONE);
	for (int i = 0; i < RUNS; i++) {
		cr_expect_eq(seen.by[i], WORKER);
		cr_expect_eq(seen.spin[i], i >= 5 ? 1 : 0, "run %d", i);
	}
	cr_expect_eq(seen.round[5], 1);
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

Test(worker, what_differs_beyond_the_seed_gets_another_worker)
{
	char *scratch = scratch_enter();
	const struct rfs_pool_settings settings = {.server = &good, .output = "runs"};
	struct rfs_execution execution = {.spec = {.policy = rfs_policy_find("random"), .seed = 1}}, other;
	struct rfs_site_ref site = {"module", 1};
	struct rfs_worker *worker;

	cr_assert_eq(mkdir("runs", 0777), 0);
	cr_assert(rfs_worker_possible(&settings, &execution));
	cr_assert_eq(rfs_worker_start(&settings, &execution, &worker), 0);
	other = execution;
	other.spec.seed = 2;
	other.spec.policy_options = "x=1";
	other.spec.policy = rfs_policy_find("pos");
	cr_expect(rfs_worker_serves(worker, &other));
	other.spec.policy = rfs_policy_find("drfinder");
	cr_expect_not(rfs_worker_serves(worker, &other), "it needs to know the heap from the beginning");
	other.spec.points = RFS_POINTS_RACES;
	cr_expect_not(rfs_worker_serves(worker, &other));
	other = execution;
	other.spec.lessons.spin = &site;
	other.spec.lessons.n_spin = 1;
	cr_expect_not(rfs_worker_serves(worker, &other));
	other = execution;
	other.spec.trace.out = "trace";
	cr_expect_not(rfs_worker_serves(worker, &other));
	cr_expect_not(rfs_worker_possible(&settings, &other));
	rfs_worker_end(worker);
	scratch_leave(scratch);
}

/* Shows the detector and the pair of its spec. */
static int serve_from_main(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out,
			   char *why, size_t n)
{
	(void)why;
	(void)n;
	*out = (struct rfs_run_result){.detail = WORKER, .counts.steps = ++server->served};
	if (spec->detector)
		out->counts.accesses = spec->detector == rfs_detector_find("hybrid");
	if (spec->plan.pair)
		out->counts.accesses =
			spec->plan.pair->statement[0].sites->offset + spec->plan.pair->statement[1].sites->offset;
	return 0;
}

/* A server that was started with a detector or a pair would have them in all copies. */
static int start_without(const struct rfs_run_spec *spec, struct rfs_server **out, char *why, size_t n)
{
	return spec->detector || spec->plan.pair ? refuse(spec, out, why, n) : start(spec, out, why, n);
}

/* Run 0 has a detector. Runs 1, 4, 7 and so on have a pair, each a different one. */
static void make_from_main(void *arg, uint64_t i, struct rfs_execution *out)
{
	static struct rfs_site_ref sites[RUNS][2];
	static struct rfs_statement_pair pairs[RUNS];

	make(arg, i, out);
	out->spec.points = RFS_POINTS_MEMORY;
	out->spec.from_main = true;
	out->spec.detector = i == 0 ? rfs_detector_find("hybrid") : NULL;
	if (i % 3 != 1)
		return;
	for (int k = 0; k < 2; k++) {
		sites[i][k] = (struct rfs_site_ref){"/lib/x.so", 100 * i};
		pairs[i].statement[k] = (struct rfs_statement){&sites[i][k], 1};
	}
	out->spec.policy = rfs_policy_find("racefuzzer");
	out->spec.plan.pair = &pairs[i];
}

Test(worker, serves_detectors_and_pairs_that_count_from_main)
{
	static const struct rfs_server_ops server = {start_without, serve_from_main, end};
	struct seen seen = {.keep = RUNS};
	const struct rfs_batch batch = {.n = RUNS, .make = make_from_main, .done = done, .arg = &seen};
	char why[256] = "", *scratch = scratch_enter();
	struct rfs_pool *pool = pool_with(&server, 1);

	cr_expect_eq(rfs_pool_run(pool, &batch, why, sizeof(why)), RFS_POOL_DONE);
	for (int i = 0; i < RUNS; i++) {
		cr_expect_eq(seen.by[i], WORKER, "run %d", i);
		cr_expect_eq(seen.round[i], i + 1, "run %d", i);
		cr_expect_eq(seen.spin[i], i == 0 ? 1 : i % 3 == 1 ? 200 * i : 0, "run %d", i);
	}
	rfs_pool_free(pool);
	scratch_leave(scratch);
}

Test(worker, is_not_possible_where_an_execution_needs_more_than_a_copy)
{
	const struct rfs_policy_ops *random = rfs_policy_find("random");
	const struct {
		struct rfs_pool_settings settings;
		struct rfs_run_spec spec;
		bool possible;
	} cases[] = {
		{{.server = &good, .output = "runs"}, {.policy = random}, true},
		{{.server = &good, .output = "runs"}, {.policy = random, .job.stdin_path = "/etc/passwd"}, true},
		{{.output = "runs"}, {.policy = random}, false},
		{{.server = &good}, {.policy = random}, false},
		{{.server = &good, .output = "runs", .records = "records"}, {.policy = random}, false},
		{{.server = &good, .output = "runs"}, {.policy = random, .job.setup = "true"}, false},
		{{.server = &good, .output = "runs"}, {.policy = random, .job.drive = "true"}, false},
		{{.server = &good, .output = "runs"}, {.policy = random, .job.fresh_dir = "dir"}, false},
		{{.server = &good, .output = "runs"}, {.policy = random, .job.stdin_path = "/dev/zero"}, false},
		{{.server = &good, .output = "runs"}, {.policy = random, .follow = "x"}, false},
		{{.server = &good, .output = "runs"}, {.policy = random, .clock_real = true}, false},
		{{.server = &good, .output = "runs"},
		 {.policy = random, .detector = rfs_detector_find("hybrid")},
		 false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct rfs_execution execution = {.spec = cases[i].spec};

		cr_expect_eq(rfs_worker_possible(&cases[i].settings, &execution), cases[i].possible, "case %zu", i);
	}
}

/* ---- preparation of each run ---- */

static void prepared_file(const struct rfs_execution *execution, char path[64])
{
	snprintf(path, 64, "runs/prepared-%d", (int)execution->spec.seed);
}

static int prepare(void *arg, const struct rfs_execution *execution, char *why, size_t n)
{
	char path[64];

	(void)arg;
	(void)why;
	(void)n;
	prepared_file(execution, path);
	scratch_file(path, "prepared", 8, 0666);
	return 0;
}

static void discard(void *arg, const struct rfs_execution *execution)
{
	char path[64];

	(void)arg;
	prepared_file(execution, path);
	unlink(path);
}

static bool keeps_fifth(void *arg, const struct rfs_execution *execution, const struct rfs_run_result *result)
{
	(void)execution;
	(void)arg;
	return result->counts.accesses_recorded == 5;
}

/* Run 7 takes long. Notes in `accesses` whether prepare() was called before the end of the run. */
static int serve_slowly(struct rfs_server *server, const struct rfs_run_spec *spec, struct rfs_run_result *out,
			char *why, size_t n)
{
	const struct rfs_execution execution = {.spec = *spec};
	char path[64];

	prepared_file(&execution, path);
	if (serve(server, spec, out, why, n))
		return -1;
	for (int i = 0; spec->seed == 7 && i < 10000 && access(path, R_OK); i++)
		usleep(1000);
	out->counts.accesses = access(path, R_OK) == 0;
	out->counts.accesses_recorded = spec->seed;
	return 0;
}

/* A run of a worker is prepared for if it takes long or if its files may be kept. */
static void expect_prepared(bool (*keeps)(void *arg, const struct rfs_execution *execution,
					  const struct rfs_run_result *result),
			    uint64_t keep)
{
	static const struct rfs_server_ops server = {start, serve_slowly, end};
	struct seen seen = {.keep = keep};
	struct rfs_pool_settings settings = {.run = by_job,
					     .server = &server,
					     .jobs = 2,
					     .output = "runs",
					     .cancel_fd = -1,
					     .prepare = prepare,
					     .keeps = keeps,
					     .discard = discard};
	char *scratch = scratch_enter();
	struct rfs_pool *pool;

	cr_assert_eq(mkdir("runs", 0777), 0);
	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	cr_expect_eq(run(pool, RUNS, &seen), RFS_POOL_DONE);
	rfs_pool_free(pool);
	for (int i = 0; i < RUNS; i++) {
		char path[64];

		snprintf(path, sizeof(path), "runs/prepared-%d", i);
		cr_expect_eq(seen.by[i], WORKER, "run %d", i);
		if (i == 7)
			cr_expect_eq(seen.spin[i], 1, "the long run was not prepared for");
		cr_expect_eq(access(path, F_OK) == 0, i == (int)keep, "%s", path);
	}
	scratch_leave(scratch);
}

Test(worker, prepares_for_each_run_that_may_be_kept)
{
	expect_prepared(NULL, 5);
	expect_prepared(keeps_fifth, 5);
	/* keeps() was wrong, but done() decides */
	expect_prepared(keeps_fifth, 6);
}
