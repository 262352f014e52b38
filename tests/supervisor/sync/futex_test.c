/* futex_test.c - threads that make futex calls, on the fake tracer. rfsup carries these calls out itself. */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "supervisor/state/core/thread.h"
#include "tests/supervisor/sync/sync_run.h"

TestSuite(futex, .timeout = 60);

#define W (FAKE_MEMORY + 0x100)
#define V (FAKE_MEMORY + 0x200)
#define TIME (FAKE_MEMORY + 0x300)
#define FUTEX(...)                                                                                                     \
	{                                                                                                              \
		.number = SYS_futex, .args = { __VA_ARGS__ }                                                           \
	}

/* The log that these results of futex calls make. list: thread and result, in turn; ends with -1. */
static const char *results(const int *list)
{
	static char text[512];
	size_t at = 0;

	text[0] = 0;
	for (; *list >= 0; list += 2)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d:syscall-%d=%d", at ? " " : "", list[0],
				       SYS_futex, list[1]);
	return text;
}

/* A thread sleeps if the word has the value, and otherwise its call returns at once. It is woken by the word's wakes.
 */
Test(futex, wait_and_wake)
{
	static const struct fake_step waiter[] = {
		FUTEX(W, FUTEX_WAIT_PRIVATE, 7), FUTEX(W, FUTEX_WAIT_PRIVATE, 0), {0}};
	static const struct fake_step waker[] = {
		FUTEX(V, FUTEX_WAKE_PRIVATE, 1), FUTEX(W, FUTEX_WAKE_PRIVATE, 1), FUTEX(W, FUTEX_WAKE_PRIVATE, 1), {0}};
	static const struct fake_step *const scripts[] = {waiter, waker};

	sync_open(scripts, 2);
	step_go(0);
	step_go(1);
	cr_expect(step_is_at(0, RFS_OP_FUTEX_WAIT, W));
	cr_expect(step_is_at(1, RFS_OP_FUTEX_WAKE, V));
	step_go(0);
	cr_expect(step_is_at(0, RFS_OP_FUTEX_WAIT, W));
	step_go(0);
	cr_expect(step_is_at(0, RFS_OP_FUTEX_SLEEP, W));
	cr_expect_eq(step_flags(0), 0);
	step_go(1);
	cr_expect_eq(step_flags(0), 0);
	step_go(1);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	step_go(1);
	step_go(0);
	cr_expect_str_eq(fake_log(), results((int[]){0, -EAGAIN, 1, 0, 1, 1, 1, 0, 0, 0, -1}));
	step_close();
}

/* A wake of one thread wakes that which the policy chooses; a wake of several takes the first ones. */
Test(futex, which_sleeper)
{
	static const struct fake_step waiter[] = {FUTEX(W, FUTEX_WAIT_PRIVATE, 0), {0}};
	static const struct fake_step waker[] = {FUTEX(W, FUTEX_WAKE_PRIVATE, 1), FUTEX(W, FUTEX_WAKE_PRIVATE, 5), {0}};
	static const struct fake_step *const scripts[] = {waiter, waiter, waiter, waker};

	sync_open(scripts, 4);
	for (size_t i = 0; i < 3; i++) {
		step_go(i);
		step_go(i);
	}
	step_go(3);
	step_go_with(3, RFS_OUTCOME_DONE, 2);
	cr_expect_eq(step_flags(0), 0);
	cr_expect_eq(step_flags(1), 0);
	cr_expect_eq(step_flags(2), RFS_THREAD_ENABLED);
	step_go(3);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
	cr_expect_str_eq(fake_log(), results((int[]){3, 1, 3, 2, -1}));
	step_close();
}

/* Sleepers with other bits are not woken, and no bits at all are an error. */
Test(futex, bits)
{
	static const struct fake_step one[] = {
		FUTEX(W, FUTEX_WAIT_BITSET_PRIVATE, 0, 0, 0, 0), FUTEX(W, FUTEX_WAIT_BITSET_PRIVATE, 0, 0, 0, 1), {0}};
	static const struct fake_step two[] = {
		FUTEX(W, FUTEX_WAKE_BITSET_PRIVATE, 1, 0, 0, 2), FUTEX(W, FUTEX_WAKE_BITSET_PRIVATE, 1, 0, 0, 3), {0}};
	static const struct fake_step *const scripts[] = {one, two};

	sync_open(scripts, 2);
	step_go(0);
	step_go(0);
	step_go(1);
	step_go(1);
	cr_expect_eq(step_flags(0), 0);
	step_go(1);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	cr_expect_str_eq(fake_log(), results((int[]){0, -EINVAL, 1, 0, 1, 1, -1}));
	step_close();
}

/* A sleep with a time ends with ETIMEDOUT. */
Test(futex, timeout)
{
	static const struct fake_step script[] = {FUTEX(W, FUTEX_WAIT_PRIVATE, 0, TIME), {0}};
	static const struct fake_step *const scripts[] = {script};
	const int64_t second[2] = {1, 0};

	sync_open(scripts, 1);
	fake_put(TIME, second, sizeof(second));
	step_go(0);
	step_go(0);
	cr_expect(step_is_at(0, RFS_OP_FUTEX_SLEEP, W));
	cr_expect_eq(step_flags(0), 0);
	step_time_passes();
	cr_expect_eq(step_flags(0), RFS_THREAD_CAN_TIME_OUT);
	step_go_with(0, RFS_OUTCOME_TIMED_OUT, -1);
	cr_expect_str_eq(fake_log(), results((int[]){0, -ETIMEDOUT, -1}));
	step_close();
}

/* A requeue wakes one sleeper and lets the other one sleep on at the second word, whose wake it gets. */
Test(futex, requeue)
{
	static const struct fake_step waiter[] = {FUTEX(W, FUTEX_WAIT_PRIVATE, 0), {0}};
	static const struct fake_step waker[] = {
		FUTEX(W, FUTEX_REQUEUE_PRIVATE, 1, 1, V), FUTEX(V, FUTEX_WAKE_PRIVATE, 1), {0}};
	static const struct fake_step *const scripts[] = {waiter, waiter, waker};

	sync_open(scripts, 3);
	for (size_t i = 0; i < 2; i++) {
		step_go(i);
		step_go(i);
	}
	step_go(2);
	step_go(2);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	cr_expect_eq(step_flags(1), 0);
	cr_expect(step_is_at(1, RFS_OP_FUTEX_SLEEP, V));
	step_go(2);
	cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
	cr_expect_str_eq(fake_log(), results((int[]){2, 2, 2, 1, -1}));
	step_close();
}

/* A lock with priority inheritance: the word holds its owner, and a second thread waits until it is unlocked. */
Test(futex, priority_inheritance)
{
	static const struct fake_step one[] = {FUTEX(W, FUTEX_LOCK_PI_PRIVATE),
					       {.function = "pthread_mutex_lock", .args = {V}},
					       FUTEX(W, FUTEX_UNLOCK_PI_PRIVATE),
					       {0}};
	static const struct fake_step two[] = {
		FUTEX(W, FUTEX_TRYLOCK_PI_PRIVATE), FUTEX(W, FUTEX_LOCK_PI_PRIVATE), {0}};
	static const struct fake_step *const scripts[] = {one, two};

	sync_open(scripts, 2);
	step_go(0);
	cr_expect_eq(fake_word(W) & FUTEX_TID_MASK, FAKE_PID);
	step_go(1);
	cr_expect(step_is_at(1, RFS_OP_LOCK, W));
	cr_expect_eq(step_flags(1), 0);
	step_go(0);
	cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
	step_go(1);
	cr_expect_eq(fake_word(W) & FUTEX_TID_MASK, FAKE_PID + 1);
	step_close();
}
