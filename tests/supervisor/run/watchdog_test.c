/* watchdog_test.c - threads that run without an operation, on the fake tracer, which also says how time passes. */
#include <criterion/criterion.h>

#include "tests/supervisor/run/scripted_run.h"

TestSuite(watchdog, .timeout = 60);

#define M (FAKE_MEMORY + 0x100)
#define T (FAKE_MEMORY + 0x200)

/* A thread that computes for a while is looked at, and goes on. One that computes for a moment is left alone. */
Test(watchdog, computes)
{
	static const struct {
		int interval;
		const char *log;
	} cases[] = {{2, "0:pthread_mutex_lock=0 0:end"}, {9, "0:interrupted 0:pthread_mutex_lock=0 0:end"}};
	struct rfs_run_result result;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct fake_step script[] = {
			{.interval = cases[i].interval}, {.function = "pthread_mutex_lock", .args = {M}}, {0}};
		const struct fake_step *const scripts[] = {script};

		scripted_run(scripts, "", NULL, &result);
		cr_expect_eq(result.end, RFS_END_EXIT);
		cr_expect_eq(result.n_warnings, 0);
		cr_expect_str_eq(fake_log(), cases[i].log);
		rfs_run_result_release(&result);
	}
}

/* A thread that has used too much CPU time is asked where it is, and the run ends as a hang. */
Test(watchdog, cpu_limit)
{
	static const struct fake_step script[] = {{.interval = 1000}, {0}};
	static const struct fake_step *const scripts[] = {script};
	struct rfs_run_spec spec = scripted_spec();
	struct rfs_run_result result;

	spec.limits.cpu = 0.03;
	scripted_run(scripts, "", &spec, &result);
	cr_expect_eq(result.end, RFS_END_HANG);
	cr_expect_eq(result.threads.n, 1);
	cr_expect_str_eq(fake_log(), "0:interrupted");
	rfs_run_result_release(&result);
}

/* A thread sleeps in a system call that rfsup does not see: the others go on, and the user is warned. */
Test(watchdog, falls_asleep)
{
	static const struct fake_step first[] = {{.function = "pthread_create", .args = {T, 0, 1, 0}},
						 {.interval = 30, .asleep = "S"},
						 {.function = "pthread_mutex_lock", .args = {M}},
						 {0}};
	static const struct fake_step second[] = {{.function = "pthread_mutex_lock", .args = {M}},
						  {.function = "pthread_mutex_unlock", .args = {M}},
						  {0}};
	static const struct fake_step *const scripts[] = {first, second};
	struct rfs_run_result result;

	scripted_run(scripts, "", NULL, &result);
	cr_expect_eq(result.end, RFS_END_EXIT);
	cr_expect(scripted_warns(&result, "thread 0 is blocked in futex(2), which rfsup does not schedule"));
	cr_expect_str_eq(fake_log(), "0:pthread_create=0 1:pthread_mutex_lock=0 1:pthread_mutex_unlock=0 1:end "
				     "0:pthread_mutex_lock=0 0:end");
	rfs_run_result_release(&result);
}
