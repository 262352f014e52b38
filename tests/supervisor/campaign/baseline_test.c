/*
 * baseline_test.c - the ends of baseline runs are reported, and no process survives a run. Only what all runs show
 * belongs to the baseline.
 */
#include "supervisor/campaign/decisions/baseline.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report.h"
#include "tests/supervisor/scratch.h"

TestSuite(baseline, .timeout = 60);

static const char *script;

static void make(void *arg, uint64_t i, struct rfs_execution *out)
{
	static char name[] = "sh", flag[] = "-c", path[] = "PATH=/usr/bin:/bin", mark[] = "MARK=1";
	static char *argv[] = {name, flag, NULL, NULL}, *envp[] = {path, mark, NULL};
	const double *timeout = arg;

	(void)i;
	argv[2] = (char *)script;
	snprintf(out->name, sizeof(out->name), "plain");
	out->spec.process.path = "/bin/sh";
	out->spec.process.argv = argv;
	out->spec.process.envp = envp;
	out->spec.limits.timeout = *timeout;
}

static struct rfs_run_result run(const char *command, double timeout)
{
	const struct rfs_pool_settings settings = {.run = rfs_baseline_run, .jobs = 1, .output = ".", .cancel_fd = -1};
	struct rfs_run_result result = {.end = RFS_END_UNCONTROLLED};
	struct rfs_execution execution = {0};
	struct rfs_pool *pool;
	char why[256] = "";

	script = command;
	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	make(&timeout, 0, &execution);
	cr_assert_eq(rfs_pool_run_one(pool, &execution, true, &result, NULL, why, sizeof(why)), RFS_POOL_DONE, "%s",
		     why);
	rfs_pool_free(pool);
	return result;
}

Test(baseline, ends)
{
	static const struct {
		const char *command;
		double timeout;
		enum rfs_run_end end;
		int detail;
	} cases[] = {
		{"exit 0", 10, RFS_END_EXIT, 0},
		{"exit 3", 10, RFS_END_EXIT, 3},
		{"kill -SEGV $$", 10, RFS_END_SIGNAL, SIGSEGV},
		{"exec sleep 100", 0.2, RFS_END_TIMEOUT, 0},
		{"test $MARK = 1 && test -z \"$HOME\" && read line; test $? = 1", 10, RFS_END_EXIT, 0},
	};
	char *scratch = scratch_enter();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_run_result result = run(cases[i].command, cases[i].timeout);

		cr_expect_eq(result.end, cases[i].end, "%s", cases[i].command);
		cr_expect_eq(result.detail, cases[i].detail, "%s", cases[i].command);
		rfs_run_result_release(&result);
	}
	scratch_leave(scratch);
}

Test(baseline, nothing_survives)
{
	/* three processes that could survive: in the same group, in a new session, and daemonised */
	static const char command[] = "sleep 1000 & echo $! >pids; setsid sleep 1001 & echo $! >>pids;"
				      "(setsid sh -c 'echo $$ >>pids; exec sleep 1002' &) ; sleep 0.3; exit 4";
	char *scratch = scratch_enter(), *pids, *save = NULL;
	struct rfs_run_result result = run(command, 10);
	int n = 0;

	cr_assert_eq(result.end, RFS_END_EXIT);
	cr_expect_eq(result.detail, 4);
	rfs_run_result_release(&result);
	pids = scratch_read("pids");
	cr_assert_not_null(pids);
	for (char *pid = strtok_r(pids, "\n", &save); pid; pid = strtok_r(NULL, "\n", &save), n++)
		cr_expect(kill(atoi(pid), 0) < 0 && errno == ESRCH, "%s is still there", pid);
	cr_expect_eq(n, 3);
	free(pids);
	scratch_leave(scratch);
}

Test(baseline, says_what_cannot_be_run)
{
	const struct rfs_pool_settings settings = {.run = rfs_baseline_run, .jobs = 1, .cancel_fd = -1};
	struct rfs_run_result result;
	struct rfs_execution execution = {0};
	struct rfs_pool *pool;
	double timeout = 10;
	char why[256] = "";

	script = "exit 0";
	cr_assert_eq(rfs_pool_new(&settings, &pool), 0);
	make(&timeout, 0, &execution);
	execution.spec.process.path = "/no/such/program";
	cr_expect_eq(rfs_pool_run_one(pool, &execution, false, &result, NULL, why, sizeof(why)), RFS_POOL_FAILED);
	cr_expect_not_null(strstr(why, "/no/such/program"), "%s", why);
	cr_expect_not_null(strstr(why, "No such file"), "%s", why);
	rfs_pool_free(pool);
}

static struct rfs_run_result ended(enum rfs_run_end end, int detail)
{
	return (struct rfs_run_result){.end = end, .detail = detail, .costs.cpu_seconds = 0.5};
}

Test(baseline, is_what_every_plain_run_shows)
{
	const struct rfs_signature abort_signal = {RFS_FAILURE_SIGNAL, SIGABRT}, status = {RFS_FAILURE_EXIT, 1};
	struct rfs_run_result aborted = ended(RFS_END_SIGNAL, SIGABRT), failed = ended(RFS_END_EXIT, 1),
			      passed = ended(RFS_END_EXIT, 0), late = ended(RFS_END_TIMEOUT, 0);
	struct rfs_baseline baseline = {0};

	cr_expect(!rfs_baseline_always(&baseline, &status), "without runs nothing is always so");
	rfs_baseline_add(&baseline, &failed);
	rfs_baseline_add(&baseline, &failed);
	cr_expect(rfs_baseline_always(&baseline, &status));
	cr_expect(!rfs_baseline_always(&baseline, &abort_signal));
	rfs_baseline_add(&baseline, &aborted);
	cr_expect(!rfs_baseline_always(&baseline, &status));
	cr_expect_eq(baseline.failures, 3);
	rfs_baseline_release(&baseline);

	rfs_baseline_add(&baseline, &failed);
	rfs_baseline_add(&baseline, &passed);
	cr_expect(!rfs_baseline_always(&baseline, &status));
	cr_expect_eq(baseline.runs, 2);
	cr_expect_eq(baseline.cpu_seconds, 0.5);
	rfs_baseline_release(&baseline);

	rfs_baseline_add(&baseline, &failed);
	rfs_baseline_add(&baseline, &late);
	cr_expect(!rfs_baseline_always(&baseline, &status), "one that did not end did not show it");
	cr_expect_eq(baseline.timeouts, 1);
	rfs_baseline_release(&baseline);
}
