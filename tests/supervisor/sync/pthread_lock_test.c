/* pthread_lock_test.c - threads that lock and unlock, on the fake tracer. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>

#include "policy/policy.h"
#include "supervisor/model/layout.h"
#include "supervisor/state/core/thread.h"
#include "tests/supervisor/sync/sync_run.h"

TestSuite(pthread_lock, .timeout = 60);

#define M (FAKE_MEMORY + 0x100)
#define N (FAKE_MEMORY + 0x200)

/* A thread waits for a mutex until its holder has released it, and then the library's function does not sleep. */
Test(pthread_lock, mutex)
{
	static const struct fake_step script[] = {{.function = "pthread_mutex_lock", .args = {M}},
						  {.function = "pthread_mutex_unlock", .args = {M}},
						  {0}};
	static const struct fake_step *const scripts[] = {script, script};

	sync_open(scripts, 2);
	step_go(0);
	step_go(1);
	cr_expect(step_is_at(0, RFS_OP_LOCK, M));
	cr_expect(step_is_at(1, RFS_OP_LOCK, M));
	cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
	step_go(0);
	cr_expect(step_is_at(0, RFS_OP_UNLOCK, M));
	cr_expect(step_holds(0, M));
	cr_expect_eq(step_flags(1), 0);
	cr_expect_eq(fake_word(M), 1);
	step_go(0);
	cr_expect_not(step_holds(0, M));
	cr_expect_eq(step_thread(0)->state, RFS_STATE_ENDED);
	cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
	step_go(1);
	cr_expect(step_holds(1, M));
	step_go(1);
	cr_expect_str_eq(fake_log(), "0:pthread_mutex_lock=0 0:pthread_mutex_unlock=0 1:pthread_mutex_lock=0 "
				     "1:pthread_mutex_unlock=0");
	step_close();
}

/* Each thread holds one mutex and waits for the other. The run ends when the second one begins to wait. */
Test(pthread_lock, deadlock)
{
	static const struct fake_step one[] = {
		{.function = "pthread_mutex_lock", .args = {M}}, {.function = "pthread_mutex_lock", .args = {N}}, {0}};
	static const struct fake_step two[] = {
		{.function = "pthread_mutex_lock", .args = {N}}, {.function = "pthread_mutex_lock", .args = {M}}, {0}};
	static const struct fake_step *const scripts[] = {one, two};

	sync_open(scripts, 2);
	step_go(0);
	step_go(1);
	step_go(0);
	cr_expect_not(step_has_deadlock());
	step_go(1);
	cr_expect(step_has_deadlock());
	cr_expect_eq(step_flags(0), 0);
	cr_expect_eq(step_flags(1), 0);
	step_close();
}

/* trylock never waits, and gives up the turn if it fails. */
Test(pthread_lock, trylock)
{
	static const struct {
		const char *lock, *try, *unlock;
	} cases[] = {
		{"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock"},
		{"pthread_rwlock_wrlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_unlock"},
		{"pthread_rwlock_rdlock", "pthread_rwlock_trywrlock", "pthread_rwlock_unlock"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct fake_step one[] = {
			{.function = cases[i].lock, .args = {M}}, {.function = cases[i].unlock, .args = {M}}, {0}};
		const struct fake_step two[] = {
			{.function = cases[i].try, .args = {M}}, {.function = cases[i].try, .args = {M}}, {0}};
		const struct fake_step *const scripts[] = {one, two};
		char expect[256];

		sync_open(scripts, 2);
		step_go(0);
		step_go(1);
		step_go(0);
		cr_expect(step_is_at(1, RFS_OP_TRYLOCK, M));
		cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
		step_go(1);
		cr_expect(step_thread(1)->yielded, "%s", cases[i].try);
		cr_expect_not(step_holds(1, M), "%s", cases[i].try);
		step_go(0);
		cr_expect_not(step_thread(1)->yielded, "%s", cases[i].try);
		step_go(1);
		cr_expect(step_holds(1, M), "%s", cases[i].try);
		snprintf(expect, sizeof(expect), "0:%s=0 1:%s=%d 0:%s=0 1:%s=0", cases[i].lock, cases[i].try, EBUSY,
			 cases[i].unlock, cases[i].try);
		cr_expect_str_eq(fake_log(), expect);
		step_close();
	}
}

/* Readers hold the lock together; a writer waits for the last of them, and they wait for the writer. */
Test(pthread_lock, rwlock)
{
	static const struct fake_step reader[] = {{.function = "pthread_rwlock_rdlock", .args = {M}},
						  {.function = "pthread_rwlock_unlock", .args = {M}},
						  {.function = "pthread_rwlock_rdlock", .args = {M}},
						  {0}};
	static const struct fake_step writer[] = {{.function = "pthread_rwlock_wrlock", .args = {M}},
						  {.function = "pthread_rwlock_unlock", .args = {M}},
						  {0}};
	static const struct fake_step *const scripts[] = {reader, reader, writer};

	sync_open(scripts, 3);
	for (size_t i = 0; i < 3; i++)
		step_go(i);
	cr_expect(step_is_at(0, RFS_OP_RDLOCK, M));
	cr_expect(step_is_at(2, RFS_OP_WRLOCK, M));
	step_go(0);
	cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
	cr_expect_eq(step_flags(2), 0);
	step_go(1);
	cr_expect(step_is_at(1, RFS_OP_UNLOCK, M));
	cr_expect_eq(step_thread(1)->next.access, RFS_ACCESS_READ);
	step_go(0);
	cr_expect_eq(step_flags(2), 0);
	step_go(1);
	cr_expect_eq(step_flags(2), RFS_THREAD_ENABLED);
	step_go(2);
	cr_expect(step_holds(2, M));
	cr_expect_eq(step_thread(2)->next.access, 0);
	cr_expect_eq(step_flags(0), 0);
	cr_expect_eq(step_flags(1), 0);
	step_close();
}

/* A lock that prefers writers: a writer tries, then waits, and from then on no reader gets in. */
Test(pthread_lock, writer_preferred)
{
	static const struct fake_step reader[] = {{.function = "pthread_rwlock_rdlock", .args = {M}},
						  {.function = "pthread_rwlock_unlock", .args = {M}},
						  {0}};
	static const struct fake_step writer[] = {{.function = "pthread_rwlock_wrlock", .args = {M}}, {0}};
	static const struct fake_step *const scripts[] = {reader, reader, writer};
	const struct rfs_rwlock_memory lock = {.flags = RFS_RWLOCK_PREFER_WRITER};

	sync_open(scripts, 3);
	fake_put(M, &lock, sizeof(lock));
	step_go(0);
	step_go(0);
	step_go(1);
	step_go(2);
	cr_expect(step_is_at(2, RFS_OP_TRYLOCK, M));
	cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
	step_go(2);
	cr_expect(step_is_at(2, RFS_OP_WRLOCK, M));
	cr_expect_eq(step_flags(1), 0);
	cr_expect_eq(step_flags(2), 0);
	step_go(0);
	cr_expect_eq(step_flags(1), 0);
	cr_expect_eq(step_flags(2), RFS_THREAD_ENABLED);
	step_close();
}

/* The holder of a recursive mutex takes it again, and gives it up with its last unlock. */
Test(pthread_lock, recursive)
{
	static const struct fake_step one[] = {{.function = "pthread_mutex_lock", .args = {M}},
					       {.function = "pthread_mutex_lock", .args = {M}},
					       {.function = "pthread_mutex_unlock", .args = {M}},
					       {.function = "pthread_mutex_unlock", .args = {M}},
					       {0}};
	static const struct fake_step two[] = {{.function = "pthread_mutex_lock", .args = {M}}, {0}};
	static const struct fake_step *const scripts[] = {one, two};
	const struct rfs_mutex_memory mutex = {.kind = RFS_MUTEX_RECURSIVE};

	sync_open(scripts, 2);
	fake_put(M, &mutex, sizeof(mutex));
	step_go(0);
	step_go(1);
	step_go(0);
	cr_expect_eq(step_flags(0), RFS_THREAD_ENABLED);
	step_go(0);
	step_go(0);
	cr_expect(step_holds(0, M));
	cr_expect_eq(step_flags(1), 0);
	step_go(0);
	cr_expect_not(step_holds(0, M));
	cr_expect_eq(step_flags(1), RFS_THREAD_ENABLED);
	step_close();
}

/* A timed lock may time out while another thread has the mutex. The library's function is not executed then. */
Test(pthread_lock, timed)
{
	static const struct fake_step one[] = {{.function = "pthread_mutex_lock", .args = {M}},
					       {.function = "pthread_mutex_unlock", .args = {M}},
					       {0}};
	static const struct fake_step two[] = {{.function = "pthread_mutex_timedlock", .args = {M, N}}, {0}};
	static const struct fake_step *const scripts[] = {one, two};
	const int64_t when[2] = {STEP_SOON, 0};
	char expect[128];

	sync_open(scripts, 2);
	fake_put(N, when, sizeof(when));
	step_go(0);
	step_go(0);
	step_go(1);
	cr_expect(step_is_at(1, RFS_OP_LOCK, M));
	cr_expect_eq(step_flags(1), 0);
	step_time_passes();
	cr_expect_eq(step_flags(1), RFS_THREAD_CAN_TIME_OUT);
	step_go_with(1, RFS_OUTCOME_TIMED_OUT, -1);
	cr_expect_not(step_holds(1, M));
	snprintf(expect, sizeof(expect), "0:pthread_mutex_lock=0 1:pthread_mutex_timedlock=%d", ETIMEDOUT);
	cr_expect_str_eq(fake_log(), expect);
	step_close();
}
