/* run_test.c - the main loop, on the fake tracer: whom it lets run, and how a run ends. */
#include <criterion/criterion.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "tests/supervisor/run/scripted_run.h"

TestSuite(run, .timeout = 60);

#define M (FAKE_MEMORY + 0x100)
#define T (FAKE_MEMORY + 0x200)
#define CREATE(script)                                                                                                 \
	{                                                                                                              \
		.function = "pthread_create", .args = { T, 0, script, 0 }                                              \
	}
#define CALL(name)                                                                                                     \
	{                                                                                                              \
		.function = name, .args = { M }                                                                        \
	}

/* A program of one thread runs to its end, and its exit status is the run's. */
Test(run, one_thread)
{
	static const struct fake_step script[] = {
		CALL("pthread_mutex_lock"), CALL("pthread_mutex_unlock"), {.number = SYS_exit_group, .args = {3}}, {0}};
	static const struct fake_step *const scripts[] = {script};
	struct rfs_run_result result;

	scripted_run(scripts, "", NULL, &result);
	cr_expect_eq(result.end, RFS_END_EXIT, "%d %s", (int)result.end, result.message ? result.message : "");
	cr_expect_eq(result.detail, 3);
	cr_expect_str_eq(fake_log(), "0:pthread_mutex_lock=0 0:pthread_mutex_unlock=0 0:end");
	cr_expect_eq(result.counts.steps, 2);
	cr_expect_eq(result.n_warnings, 0, "%s", result.n_warnings ? result.warnings[0] : "");
	rfs_run_result_release(&result);
}

/* The policy decides which thread locks first; the other one cannot be chosen until the mutex is free. */
Test(run, policy_picks)
{
	static const struct fake_step first[] = {
		CREATE(1), CALL("pthread_mutex_lock"), CALL("pthread_mutex_unlock"), {0}};
	static const struct fake_step second[] = {CALL("pthread_mutex_lock"), CALL("pthread_mutex_unlock"), {0}};
	static const struct fake_step *const scripts[] = {first, second};
	static const struct {
		const char *picks, *choices, *log;
	} cases[] = {
		{"000", "0 01 01", "0:pthread_create=0 0:pthread_mutex_lock=0 0:pthread_mutex_unlock=0 1:end 0:end"},
		{"01100", "0 01 01 1 01 01",
		 "0:pthread_create=0 1:pthread_mutex_lock=0 1:pthread_mutex_unlock=0 0:pthread_mutex_lock=0 "
		 "0:pthread_mutex_unlock=0 1:end 0:end"},
	};
	struct rfs_run_result result;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scripted_run(scripts, cases[i].picks, NULL, &result);
		cr_expect_eq(result.end, RFS_END_EXIT, "%d %s", (int)result.end, result.message ? result.message : "");
		cr_expect_eq(result.counts.threads, 2);
		cr_expect_str_eq(scripted_choices(), cases[i].choices);
		cr_expect_str_eq(fake_log(), cases[i].log);
		rfs_run_result_release(&result);
	}
}

/* A thread that joins another one waits for its end. */
Test(run, join)
{
	static struct fake_step first[] = {CREATE(1), {.function = "pthread_join"}, {0}};
	static const struct fake_step second[] = {CALL("pthread_mutex_lock"), {0}};
	static const struct fake_step *const scripts[] = {first, second};
	struct rfs_run_result result;

	first[1].args[0] = fake_tls(1);
	scripted_run(scripts, "", NULL, &result);
	cr_expect_eq(result.end, RFS_END_EXIT);
	cr_expect_str_eq(scripted_choices(), "0 1 1 1 0");
	cr_expect_str_eq(fake_log(), "0:pthread_create=0 1:pthread_mutex_lock=0 1:end 0:pthread_join=0 0:end");
	rfs_run_result_release(&result);
}

/* All threads wait: the run ends in a deadlock, which names them. */
Test(run, deadlock)
{
	static const struct fake_step script[] = {CALL("pthread_mutex_lock"), CALL("pthread_mutex_lock"), {0}};
	static const struct fake_step *const scripts[] = {script};
	struct rfs_run_result result;

	scripted_run(scripts, "", NULL, &result);
	cr_expect_eq(result.end, RFS_END_DEADLOCK);
	cr_expect_eq(result.deadlock.n, 1);
	cr_expect_str_eq(fake_log(), "0:pthread_mutex_lock=0");
	rfs_run_result_release(&result);
}

/* A policy may not pick a thread that waits, or one that does not exist. The target is not resumed. */
Test(run, unsound_choice)
{
	static const struct fake_step first[] = {
		CREATE(1), CALL("pthread_mutex_lock"), CALL("pthread_mutex_unlock"), {0}};
	static const struct fake_step second[] = {CALL("pthread_mutex_lock"), {0}};
	static const struct fake_step *const scripts[] = {first, second};
	static const struct {
		const char *picks, *message;
	} cases[] = {{"010B", "policy test picked thread 1, which is not enabled, at step 3"},
		     {"010C", "policy test picked thread 2, which does not exist, at step 3"}};
	struct rfs_run_result result;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scripted_run(scripts, cases[i].picks, NULL, &result);
		cr_expect_eq(result.end, RFS_END_UNCONTROLLED);
		cr_assert(result.message);
		cr_expect_str_eq(result.message, cases[i].message);
		cr_expect_str_eq(fake_log(), "0:pthread_create=0 0:pthread_mutex_lock=0");
		rfs_run_result_release(&result);
	}
}

/* After so many operations, the run is a hang. */
Test(run, step_limit)
{
	static const struct fake_step script[] = {CALL("pthread_mutex_lock"),
						  CALL("pthread_mutex_unlock"),
						  CALL("pthread_mutex_lock"),
						  CALL("pthread_mutex_unlock"),
						  {0}};
	static const struct fake_step *const scripts[] = {script};
	struct rfs_run_spec spec = scripted_spec();
	struct rfs_run_result result;

	spec.limits.steps = 2;
	scripted_run(scripts, "", &spec, &result);
	cr_expect_eq(result.end, RFS_END_HANG);
	cr_expect_eq(result.counts.steps, 2);
	cr_expect_eq(result.threads.n, 1);
	cr_expect_str_eq(fake_log(), "0:pthread_mutex_lock=0 0:pthread_mutex_unlock=0");
	rfs_run_result_release(&result);
}

/* The hash of a run says which operations were executed in which order, so that a replay can be compared with it. */
Test(run, hash_is_of_the_order)
{
	static const struct fake_step first[] = {
		CREATE(1), CALL("pthread_mutex_lock"), CALL("pthread_mutex_unlock"), {0}};
	static const struct fake_step second[] = {CALL("pthread_mutex_lock"), CALL("pthread_mutex_unlock"), {0}};
	static const struct fake_step *const scripts[] = {first, second};
	static const char *const picks[] = {"000", "000", "01100"};
	struct rfs_run_result results[3];

	for (size_t i = 0; i < 3; i++)
		scripted_run(scripts, picks[i], NULL, &results[i]);
	cr_expect(rfs_run_ended_as(&results[1], RFS_END_EXIT, 0, results[0].hash));
	cr_expect_not(rfs_run_ended_as(&results[2], RFS_END_EXIT, 0, results[0].hash));
	for (size_t i = 0; i < 3; i++)
		rfs_run_result_release(&results[i]);
}
