/* signal_stops_test.c - signals that reach threads, on the fake tracer. */
#include <criterion/criterion.h>
#include <signal.h>

#include "tests/supervisor/run/scripted_run.h"

TestSuite(signal_stops, .timeout = 60);

#define M (FAKE_MEMORY + 0x100)

/* A signal without a handler is not delivered if it is ignored, and one that ends the program ends the run. */
Test(signal_stops, default_actions)
{
	static const struct {
		int signo;
		enum rfs_run_end end;
		int detail;
		const char *log;
	} cases[] = {
		{SIGWINCH, RFS_END_EXIT, 0, "0:signal=0 0:pthread_mutex_lock=0 0:end"},
		{SIGCHLD, RFS_END_EXIT, 0, "0:signal=0 0:pthread_mutex_lock=0 0:end"},
		{SIGSEGV, RFS_END_SIGNAL, SIGSEGV, "0:signal=11 0:end"},
		{SIGABRT, RFS_END_SIGNAL, SIGABRT, "0:signal=6 0:end"},
	};
	struct rfs_run_result result;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct fake_step script[] = {
			{.signo = cases[i].signo}, {.function = "pthread_mutex_lock", .args = {M}}, {0}};
		const struct fake_step *const scripts[] = {script};

		scripted_run(scripts, "", NULL, &result);
		cr_expect_eq(result.end, cases[i].end, "%d", cases[i].signo);
		cr_expect_eq(result.detail, cases[i].detail, "%d", cases[i].signo);
		cr_expect_str_eq(fake_log(), cases[i].log);
		rfs_run_result_release(&result);
	}
}
