/* pthread_cond_test.c - threads that wait at a condition variable and signal it, on the fake tracer. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "policy/policy.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "tests/supervisor/sync/sync_run.h"

TestSuite(pthread_cond, .timeout = 60);

#define M (FAKE_MEMORY + 0x100)
#define C (FAKE_MEMORY + 0x200)
#define TIME (FAKE_MEMORY + 0x300)

static const struct fake_step waiter[] = {{.function = "pthread_mutex_lock", .args = {M}},
					  {.function = "pthread_cond_wait", .args = {C, M}},
					  {.function = "pthread_mutex_unlock", .args = {M}},
					  {0}};
static const struct fake_step timed_waiter[] = {{.function = "pthread_mutex_lock", .args = {M}},
						{.function = "pthread_cond_timedwait", .args = {C, M, TIME}},
						{.function = "pthread_mutex_unlock", .args = {M}},
						{0}};
static const struct fake_step signaller[] = {
	{.function = "pthread_cond_signal", .args = {C}}, {.function = "pthread_cond_signal", .args = {C}}, {0}};
static const struct fake_step locker[] = {{.function = "pthread_mutex_lock", .args = {M}},
					  {.function = "pthread_cond_signal", .args = {C}},
					  {.function = "pthread_mutex_unlock", .args = {M}},
					  {0}};
static const struct fake_step broadcaster[] = {{.function = "pthread_cond_broadcast", .args = {C}}, {0}};

/* The threads from `first` to `last` begin, and go on until they sleep at the condition variable. */
static void fall_asleep(size_t first, size_t last)
{
	for (size_t i = first; i <= last; i++) {
		step_go(i);
		step_go(i);
		cr_assert(step_is_at(i, RFS_OP_COND_WAIT, C));
		step_go(i);
		cr_assert(step_is_at(i, RFS_OP_COND_WAKE, C));
		cr_assert_not(step_holds(i, M));
	}
}

/* The wait releases the mutex. After the signal, the waiter goes on as soon as the mutex is free, and has it again. */
Test(pthread_cond, wait)
{
	static const struct fake_step *const scripts[] = {waiter, locker};

	sync_open(scripts, 2);
	fall_asleep(0, 0);
	cr_expect_eq(step_flags(0), 0);
	cr_expect_eq(fake_word(M), 0);
	step_go(1);
	step_go(1);
	step_go(1);
	cr_expect(step_is_at(1, RFS_OP_UNLOCK, M));
	cr_expect_not(step_flags(0) & RFS_THREAD_ENABLED, "the mutex is not free");
	step_go(1);
	cr_expect(step_flags(0) & RFS_THREAD_ENABLED);
	step_go(0);
	cr_expect(step_holds(0, M));
	cr_expect(step_is_at(0, RFS_OP_UNLOCK, M));
	cr_expect_str_eq(fake_log(), "0:pthread_mutex_lock=0 1:pthread_mutex_lock=0 1:pthread_cond_signal=0 "
				     "1:pthread_mutex_unlock=0 0:pthread_cond_wait=0");
	step_close();
}

/* A signal at which nobody waits is lost. */
Test(pthread_cond, lost_signal)
{
	static const struct fake_step *const scripts[] = {waiter, signaller};

	sync_open(scripts, 2);
	step_go(1);
	step_go(1);
	fall_asleep(0, 0);
	cr_expect_not(step_flags(0) & RFS_THREAD_ENABLED);
	step_go(1);
	cr_expect(step_flags(0) & RFS_THREAD_ENABLED);
	step_close();
}

/* The policy says which waiter a signal wakes; without a choice it is the first. */
Test(pthread_cond, which_waiter)
{
	static const struct fake_step *const scripts[] = {waiter, waiter, waiter, signaller};

	sync_open(scripts, 4);
	fall_asleep(0, 2);
	step_go(3);
	step_go_with(3, RFS_OUTCOME_DONE, 1);
	cr_expect_not(step_flags(0) & RFS_THREAD_ENABLED);
	cr_expect(step_flags(1) & RFS_THREAD_ENABLED);
	cr_expect_not(step_flags(2) & RFS_THREAD_ENABLED);
	step_go_with(3, RFS_OUTCOME_DONE, -1);
	cr_expect(step_flags(0) & RFS_THREAD_ENABLED);
	cr_expect_not(step_flags(2) & RFS_THREAD_ENABLED);
	step_close();
}

/* All waiters are woken, and get the mutex one after another. */
Test(pthread_cond, broadcast)
{
	static const struct fake_step *const scripts[] = {waiter, waiter, broadcaster};

	sync_open(scripts, 3);
	fall_asleep(0, 1);
	step_go(2);
	step_go(2);
	cr_expect(step_flags(0) & RFS_THREAD_ENABLED);
	cr_expect(step_flags(1) & RFS_THREAD_ENABLED);
	step_go(1);
	cr_expect_not(step_flags(0) & RFS_THREAD_ENABLED);
	step_go(1);
	cr_expect(step_flags(0) & RFS_THREAD_ENABLED);
	step_go(0);
	cr_expect(step_holds(0, M));
	step_close();
}

/* A wait that times out takes the mutex again and returns ETIMEDOUT. A later signal does not wake it. */
Test(pthread_cond, timeout)
{
	static const struct fake_step *const scripts[] = {timed_waiter, signaller};
	const int64_t when[2] = {STEP_SOON, 0};
	char expect[128];

	sync_open(scripts, 2);
	fake_put(TIME, when, sizeof(when));
	fall_asleep(0, 0);
	cr_expect_neq(step_thread(0)->deadline, RFS_NEVER);
	step_time_passes();
	step_go_with(0, RFS_OUTCOME_TIMED_OUT, -1);
	cr_expect(step_is_at(0, RFS_OP_UNLOCK, M));
	cr_expect(step_holds(0, M));
	snprintf(expect, sizeof(expect), "0:pthread_mutex_lock=0 0:pthread_cond_timedwait=%d", ETIMEDOUT);
	cr_expect_str_eq(fake_log(), expect);
	step_close();
}
