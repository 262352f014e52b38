/*
 * replay_test.c - the exit status of --replay: the run shows its finding again, passes, or diverges. With --quiet, the
 * reason is still printed.
 */
#include "supervisor/cli/recorded/replay.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/error.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "tests/supervisor/scratch.h"

TestSuite(replay, .timeout = 60);

static char program[] = "/bin/true";

static void set_race(struct rfs_run_result *out, unsigned access)
{
	for (int k = 0; k < 2; k++) {
		out->created.side[k].access = access | (k ? RFS_ACCESS_WRITE : RFS_ACCESS_READ);
		out->created.side[k].size = 4;
	}
	out->n_created = 1;
}

static int clean(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	(void)spec;
	(void)why;
	(void)n;
	memset(out, 0, sizeof(*out));
	return 0;
}

static int real(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	clean(spec, out, why, n);
	set_race(out, RFS_ACCESS_RMW);
	return 0;
}

/* The race is between plain aligned moves, at an address that an atomic instruction has accessed. */
static int unclear(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	clean(spec, out, why, n);
	set_race(out, RFS_ACCESS_ALIGNED_MOVE);
	out->created.atomic_seen = true;
	return 0;
}

static int aborts(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	clean(spec, out, why, n);
	out->end = RFS_END_SIGNAL;
	out->detail = SIGABRT;
	return 0;
}

static int unclear_and_aborts(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	unclear(spec, out, why, n);
	out->end = RFS_END_SIGNAL;
	out->detail = SIGABRT;
	return 0;
}

static int late(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	clean(spec, out, why, n);
	out->end = RFS_END_TIMEOUT;
	return 0;
}

static int refuses(const struct rfs_run_spec *spec, struct rfs_run_result *out, char *why, size_t n)
{
	clean(spec, out, why, n);
	return rfs_why(why, n, -1, "ptrace is not permitted here");
}

/* Writes r.json: the record of a run that ended as `recorded` says. */
static void write_record(rfs_run_fn *recorded, bool plain_failure)
{
	static char *argv[] = {program, NULL}, *envp[] = {NULL};
	struct rfs_execution execution = {
		.plain_failure = plain_failure,
		.spec = {.process.path = program,
			 .process.argv = argv,
			 .process.envp = envp,
			 .policy = rfs_policy_find("random"),
			 .limits.timeout = 9},
	};
	struct rfs_run_result result;
	char why[512] = "";

	cr_assert_eq(recorded(&execution.spec, &result, why, sizeof(why)), 0);
	cr_assert_eq(rfs_record_write("r.json", &execution, &result, NULL, why, sizeof(why)), 0, "%s", why);
}

Test(replay, status)
{
	const struct {
		const char *name;
		rfs_run_fn *recorded, *again;
		bool plain_failure;
		enum rfs_exit exit;
	} cases[] = {
		{"clean", clean, clean, false, RFS_EXIT_CLEAN},
		{"a real race", real, real, false, RFS_EXIT_FINDING},
		{"an unclear race", unclear, unclear, false, RFS_EXIT_CLEAN},
		{"a failure", aborts, aborts, false, RFS_EXIT_FINDING},
		{"a failure that every plain run shows", aborts, aborts, true, RFS_EXIT_CLEAN},
		{"an unclear race and a failure", unclear_and_aborts, unclear_and_aborts, false, RFS_EXIT_FINDING},
		{"both, plain", unclear_and_aborts, unclear_and_aborts, true, RFS_EXIT_CLEAN},
		{"another end", aborts, clean, false, RFS_EXIT_UNCONTROLLED},
		{"a timeout", clean, late, false, RFS_EXIT_INCOMPLETE},
		{"no ptrace", clean, refuses, false, RFS_EXIT_INPUT},
	};
	char *scratch = scratch_enter();

	rfs_log_set_level(RFS_LOG_QUIET);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		write_record(cases[i].recorded, cases[i].plain_failure);
		cr_expect_eq(rfs_replay("r.json", NULL, -1, cases[i].again), cases[i].exit, "%s", cases[i].name);
	}
	scratch_leave(scratch);
}

Test(replay, quiet_still_says_why_it_is_another_run, .init = cr_redirect_stderr)
{
	char *scratch = scratch_enter(), said[512] = "";
	FILE *err = cr_get_redirected_stderr();

	rfs_log_set_level(RFS_LOG_QUIET);
	write_record(aborts, false);
	cr_expect_eq(rfs_replay("r.json", NULL, -1, clean), RFS_EXIT_UNCONTROLLED);
	fflush(stderr);
	cr_assert_not_null(fgets(said, sizeof(said), err));
	cr_expect_not_null(
		strstr(said, "diverged: this run ended with a clean exit, the recorded run with signal (SIGABRT)"),
		"%s", said);
	scratch_leave(scratch);
}
