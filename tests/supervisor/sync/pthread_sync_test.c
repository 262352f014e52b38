/* pthread_sync_test.c - threads at semaphores, barriers and pthread_once, on the fake tracer. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>

#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/model/layout.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/sync/pthread_sync.h"
#include "tests/supervisor/sync/sync_run.h"

TestSuite(pthread_sync, .timeout = 60);

#define S (FAKE_MEMORY + 0x100)
#define B (FAKE_MEMORY + 0x200)
#define O (FAKE_MEMORY + 0x300)

/* A thread takes a token if there is one, and otherwise waits for a post. */
Test(pthread_sync, semaphore)
{
	static const struct fake_step taker[] = {
		{.function = "sem_wait", .args = {S}}, {.function = "sem_wait", .args = {S}}, {0}};
	static const struct fake_step poster[] = {{.function = "sem_post", .args = {S}}, {0}};
	static const struct fake_step *const scripts[] = {taker, poster};
	const struct rfs_semaphore_memory one = {.value = 1};

	sync_open(scripts, 2);
	fake_put(S, &one, sizeof(one));
	step_go(0);
	step_go(1);
	cr_expect(step_is_at(0, RFS_OP_SEM_WAIT, S));
	cr_expect(step_is_at(1, RFS_OP_SEM_POST, S));
	step_go(0);
	cr_expect_eq(step_flags(0), 0);
	step_go(1);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	step_go(0);
	cr_expect_str_eq(fake_log(), "0:sem_wait=0 1:sem_post=0 0:sem_wait=0");
	cr_expect_eq(fake_word(S), 0);
	step_close();
}

Test(pthread_sync, trywait)
{
	static const struct fake_step taker[] = {
		{.function = "sem_trywait", .args = {S}}, {.function = "sem_trywait", .args = {S}}, {0}};
	static const struct fake_step *const scripts[] = {taker};
	const struct rfs_semaphore_memory one = {.value = 1};

	sync_open(scripts, 1);
	fake_put(S, &one, sizeof(one));
	step_go(0);
	cr_expect(step_is_at(0, RFS_OP_SEM_TRYWAIT, S));
	step_go(0);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	step_go(0);
	cr_expect_str_eq(fake_log(), "0:sem_trywait=0 0:sem_trywait=-1");
	step_close();
}

/*
 * Those that come first wait for the last one, in each round anew. rfsup carries the barrier out: the last thread gets
 * PTHREAD_BARRIER_SERIAL_THREAD, and no call of the library is executed.
 */
Test(pthread_sync, barrier)
{
	static const struct fake_step script[] = {{.function = "pthread_barrier_wait", .args = {B}},
						  {.function = "pthread_barrier_wait", .args = {B}},
						  {0}};
	static const struct fake_step *const scripts[] = {script, script};
	const struct rfs_barrier_memory two = {.count = 2};
	char expect[256];

	sync_open(scripts, 2);
	fake_put(B, &two, sizeof(two));
	step_go(0);
	step_go(1);
	for (size_t round = 0; round < 2; round++) {
		const size_t first = round, last = 1 - round;

		cr_expect(step_is_at(first, RFS_OP_BARRIER_WAIT, B));
		step_go(first);
		cr_expect(step_is_at(first, RFS_OP_BARRIER_LEAVE, B));
		cr_expect_eq(step_flags(first), 0);
		step_go(last);
		cr_expect_eq(step_flags(first), RFS_THREAD_ENABLED);
		step_go(first);
	}
	snprintf(expect, sizeof(expect),
		 "1:pthread_barrier_wait=%d 0:pthread_barrier_wait=0 0:pthread_barrier_wait=%d "
		 "1:pthread_barrier_wait=0",
		 PTHREAD_BARRIER_SERIAL_THREAD, PTHREAD_BARRIER_SERIAL_THREAD);
	cr_expect_str_eq(fake_log(), expect);
	step_close();
}

/* While one thread runs the routine of pthread_once(), another one waits; afterwards it does not. */
Test(pthread_sync, once)
{
	static const struct fake_step script[] = {{.function = "pthread_once", .args = {O}}, {0}};
	static const struct fake_step *const scripts[] = {script, script};
	const int in_progress = 1, done = 2;

	sync_open(scripts, 2);
	step_go(0);
	step_go(1);
	cr_expect(step_is_at(0, RFS_OP_ONCE, O));
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	fake_put(O, &in_progress, sizeof(in_progress));
	step_memory_changed();
	cr_expect_eq(step_flags(0), 0);
	fake_put(O, &done, sizeof(done));
	step_memory_changed();
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	step_go(0);
	step_go(1);
	cr_expect_str_eq(fake_log(), "0:pthread_once=0 1:pthread_once=0");
	step_close();
}

/* A timed wait for a token times out, but not before its time. */
Test(pthread_sync, timed_semaphore)
{
	static const struct fake_step taker[] = {{.function = "sem_timedwait", .args = {S, B}}, {0}};
	static const struct fake_step *const scripts[] = {taker};
	const int64_t when[2] = {STEP_SOON, 0};

	sync_open(scripts, 1);
	fake_put(B, when, sizeof(when));
	step_go(0);
	cr_expect(step_is_at(0, RFS_OP_SEM_WAIT, S));
	cr_expect_eq(step_flags(0), 0);
	step_time_passes();
	cr_expect_eq(step_flags(0), RFS_THREAD_CAN_TIME_OUT);
	step_close();
}

/* The messages that the thread of the test has received. */
static void count_received(void *n, const struct rfs_event *event)
{
	*(unsigned *)n += event->kind == RFS_EVENT_RECEIVE;
}

/*
 * A static variable of C++: one thread initialises it, another one waits. Whoever finds it initialised is ordered after
 * the initialisation, so its reads are no race. The call of pthread_once() stands for one of __cxa_guard_acquire(),
 * which is in another library.
 */
Test(pthread_sync, guard_of_a_static_variable)
{
	enum { NEW, DONE, IN_PROGRESS, STATES };
	static const unsigned char words[STATES][8] = {[DONE] = {1}, [IN_PROGRESS] = {0, 1}};
	static const unsigned flags[STATES] = {RFS_THREAD_ENABLED, RFS_THREAD_ENABLED, 0};
	static const struct fake_step script[] = {{.function = "pthread_once", .args = {O}}, {0}};
	static const struct fake_step *const scripts[] = {script};
	static const struct rfs_call acquire = {"__cxa_guard_acquire", rfs_enter_guard, 0, 0};
	static const struct rfs_detector_ops counts = {.event = count_received};

	for (int state = NEW; state < STATES; state++) {
		unsigned received = 0;

		sync_open(scripts, 1);
		step_run()->stream = rfs_stream_new(&counts, &received, NULL);
		step_go(0);
		cr_assert_eq(rfs_enter_guard(step_run(), step_thread(0), &acquire), RFS_THEN_PARKED);
		fake_put(O, words[state], sizeof(words[state]));
		step_memory_changed();
		cr_expect_eq(step_flags(0), flags[state], "state %d", state);
		if (state != IN_PROGRESS) {
			step_go(0);
			rfs_stream_drain(step_run()->stream);
			cr_expect_eq(received, state == DONE, "state %d", state);
		}
		rfs_stream_free(step_run()->stream);
		step_run()->stream = NULL;
		step_close();
	}
}
