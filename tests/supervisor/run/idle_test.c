/* idle_test.c - runs in which no thread can go on, on the fake tracer: virtual time passes, or the run is a deadlock.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "tests/supervisor/run/scripted_run.h"

TestSuite(idle, .timeout = 60);

#define M (FAKE_MEMORY + 0x100)
#define T (FAKE_MEMORY + 0x200)
#define C (FAKE_MEMORY + 0x300)
#define SHORT (FAKE_MEMORY + 0x400)
#define LONG (FAKE_MEMORY + 0x500)

/* Threads wake up in the order of their times, and no real time passes: the long sleep is of a day. */
Test(idle, sleeps)
{
	static const struct fake_step first[] = {{.function = "pthread_create", .args = {T, 0, 1, 0}},
						 {.number = SYS_nanosleep, .args = {LONG, 0}},
						 {0}};
	static const struct fake_step second[] = {
		{.number = SYS_nanosleep, .args = {SHORT, 0}}, {.function = "pthread_mutex_lock", .args = {M}}, {0}};
	static const struct fake_step *const scripts[] = {first, second};
	struct rfs_run_result result;

	scripted_time(SHORT, 1);
	scripted_time(LONG, 86400);
	scripted_run(scripts, "", NULL, &result);
	cr_expect_eq(result.end, RFS_END_EXIT);
	cr_expect_str_eq(fake_log(), "0:pthread_create=0 1:syscall-35=0 1:pthread_mutex_lock=0 1:end 0:syscall-35=0 "
				     "0:end");
	rfs_run_result_release(&result);
}

/* A wait with a time ends when nothing else can happen; one without a time is a deadlock. */
Test(idle, waits)
{
	static const struct fake_step timed[] = {{.function = "pthread_mutex_lock", .args = {M}},
						 {.function = "pthread_cond_timedwait", .args = {C, M, LONG}},
						 {.function = "pthread_mutex_unlock", .args = {M}},
						 {0}};
	static const struct fake_step untimed[] = {{.function = "pthread_mutex_lock", .args = {M}},
						   {.function = "pthread_cond_wait", .args = {C, M}},
						   {0}};
	static const struct fake_step *const timed_scripts[] = {timed}, *const untimed_scripts[] = {untimed};
	struct rfs_run_result result;
	char expect[128];

	scripted_time(LONG, INT64_C(1577836800) + 86400);
	scripted_run(timed_scripts, "", NULL, &result);
	cr_expect_eq(result.end, RFS_END_EXIT);
	cr_expect_eq(result.counts.timeouts, 2); /* time passed, and the wait timed out */
	snprintf(expect, sizeof(expect),
		 "0:pthread_mutex_lock=0 0:pthread_cond_timedwait=%d 0:pthread_mutex_unlock=0 0:end", ETIMEDOUT);
	cr_expect_str_eq(fake_log(), expect);
	rfs_run_result_release(&result);
	scripted_run(untimed_scripts, "", NULL, &result);
	cr_expect_eq(result.end, RFS_END_DEADLOCK);
	cr_expect_eq(result.deadlock.n, 1);
	cr_expect_str_eq(fake_log(), "0:pthread_mutex_lock=0");
	rfs_run_result_release(&result);
}
