/* syscalls_test.c - system calls of threads, on the fake tracer: which of them rfsup answers, and which are operations.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "policy/policy.h"
#include "supervisor/kernel/refused.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/virtual_time.h"
#include "tests/supervisor/kernel/kernel_run.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

TestSuite(syscalls, .timeout = 60);

#define A (FAKE_MEMORY + 0x100)
#define B (FAKE_MEMORY + 0x200)
#define C (FAKE_MEMORY + 0x300)
#define START 1577836800 /* the date at which each run begins */

/* Calls that are no operations: the kernel's result, which would be 77, or the answer of rfsup. */
Test(syscalls, answered_or_not)
{
	static const struct {
		struct fake_step call;
		long result;
	} cases[] = {
		{{.number = SYS_getuid, .result = 77}, 77}, /* not in the table */
		{{.number = SYS_time, .args = {0}, .result = 77}, START},
		{{.number = SYS_clock_gettime, .args = {CLOCK_REALTIME, A}, .result = 77}, 0},
		{{.number = SYS_clock_gettime, .args = {CLOCK_REALTIME, 8}, .result = 77}, -14},
		{{.number = SYS_gettimeofday, .args = {A, 0}, .result = 77}, 0},
		{{.number = SYS_fcntl, .args = {3, F_GETFL}, .result = 77}, 77},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct fake_step script[] = {cases[i].call, {0}};
		const struct fake_step *const scripts[] = {script};
		char expect[64];

		kernel_open(scripts, 1);
		step_go(0);
		cr_expect_eq(step_thread(0)->state, RFS_STATE_ENDED, "%zu", i);
		snprintf(expect, sizeof(expect), "0:syscall-%ld=%ld", cases[i].call.number, cases[i].result);
		cr_expect_str_eq(fake_log(), expect);
		step_close();
	}
}

/* The clock is virtual: it shows the date of the start, and moves with operations only. */
Test(syscalls, clock)
{
	static const struct fake_step script[] = {{.number = SYS_clock_gettime, .args = {CLOCK_REALTIME, A}},
						  {.number = SYS_nanosleep, .args = {B, 0}},
						  {.number = SYS_clock_gettime, .args = {CLOCK_REALTIME, A}},
						  {0}};
	static const struct fake_step *const scripts[] = {script};
	const int64_t second[2] = {1, 0};
	int64_t now[2];

	kernel_open(scripts, 1);
	fake_put(B, second, sizeof(second));
	step_go(0);
	cr_assert(step_is_at(0, RFS_OP_SLEEP, 0));
	cr_assert_eq(rfs_space_read(rfs_task_space(step_thread(0)->task), A, now, sizeof(now)), 0);
	cr_expect_eq(now[0], START);
	cr_expect_eq(step_flags(0), 0);
	step_time_passes();
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED | RFS_THREAD_SLEEPS);
	step_go(0);
	cr_assert_eq(rfs_space_read(rfs_task_space(step_thread(0)->task), A, now, sizeof(now)), 0);
	cr_expect_eq(now[0], START + 1);
	cr_expect_geq(step_run()->time.now, RFS_NANOS);
	step_close();
}

/* Calls that are operations. The kernel executes the lock of a file, but not a yield. */
Test(syscalls, operations)
{
	static const struct fake_step script[] = {{.number = SYS_sched_yield, .result = 77},
						  {.number = SYS_fcntl, .args = {3, F_SETLK, A}, .result = 77},
						  {0}};
	static const struct fake_step *const scripts[] = {script};

	kernel_open(scripts, 1);
	step_go(0);
	cr_expect(step_is_at(0, RFS_OP_YIELD, 0));
	step_go(0);
	cr_expect(step_is_at(0, RFS_OP_SYSCALL, 0));
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	step_go(0);
	cr_expect_eq(step_thread(0)->state, RFS_STATE_ENDED);
	cr_expect_str_eq(fake_log(), "0:syscall-24=0 0:syscall-72=77");
	step_close();
}

/* A thread sees an id of rfsup's, which is the same in each run, and not the kernel's. */
Test(syscalls, ids)
{
	static const struct fake_step script[] = {
		{.number = SYS_getpid, .result = FAKE_PID}, {.number = SYS_gettid, .result = FAKE_PID + 1}, {0}};
	static const struct fake_step *const scripts[] = {script, script};
	char expect[128];

	kernel_open(scripts, 2);
	step_go(0);
	step_go(1);
	cr_expect_neq(step_thread(0)->tid, step_thread(1)->tid);
	cr_expect_neq(step_thread(1)->tid, FAKE_PID + 1);
	snprintf(expect, sizeof(expect), "0:syscall-39=%d 0:syscall-186=%d 1:syscall-39=%d 1:syscall-186=%d",
		 step_thread(0)->tid, step_thread(0)->tid, step_thread(0)->tid, step_thread(1)->tid);
	cr_expect_str_eq(fake_log(), expect);
	step_close();
}

/* A timer of the program runs in virtual time: it shows what is left of it, and how often it repeats. */
Test(syscalls, a_timer_shows_what_is_left)
{
	enum { VALUE = 5, INTERVAL = 2 };
	static const struct fake_step script[] = {{.number = SYS_timer_create, .args = {CLOCK_MONOTONIC, 0, A}},
						  {.number = SYS_timer_settime, .args = {0, 0, B, 0}},
						  {.number = SYS_timer_gettime, .args = {0, C}},
						  {0}};
	static const struct fake_step *const scripts[] = {script};
	const struct itimerspec setting = {.it_value.tv_sec = VALUE, .it_interval.tv_sec = INTERVAL};
	struct itimerspec left;

	kernel_open(scripts, 1);
	fake_put(B, &setting, sizeof(setting));
	step_go(0);
	cr_expect_str_eq(fake_log(), "0:syscall-222=0 0:syscall-223=0 0:syscall-224=0");
	cr_assert_eq(rfs_space_read(rfs_task_space(step_thread(0)->task), C, &left, sizeof(left)), 0);
	cr_expect_eq(left.it_value.tv_sec, VALUE - 1, "a moment has passed");
	cr_expect_gt(left.it_value.tv_nsec, 999000000);
	cr_expect_eq(left.it_interval.tv_sec, INTERVAL);
	cr_expect_eq(left.it_interval.tv_nsec, 0);
	step_close();
}

/* A child without threads of its own must not trace, either: the user is told why the call fails. */
Test(syscalls, a_child_must_not_trace)
{
	static const struct fake_step script[] = {{.number = SYS_sched_yield}, {0}};
	static const struct fake_step *const scripts[] = {script};
	const struct rfs_run_result *result;

	kernel_open(scripts, 1);
	step_go(0);
	result = step_run()->result;
	cr_expect_not(rfs_refused_child(step_run(), step_thread(0)->task, SYS_getpid));
	cr_expect_not(rfs_refused_child(step_run(), step_thread(0)->task, SYS_read));
	cr_expect_eq(result->n_warnings, 0);
	cr_expect(rfs_refused_child(step_run(), step_thread(0)->task, SYS_ptrace));
	cr_expect(result->refused);
	cr_assert_eq(result->n_warnings, 1);
	cr_expect(strstr(result->warnings[0], "the program called ptrace(2) to trace a task"), "%s",
		  result->warnings[0]);
	step_close();
}
