/* wait_test.c - when a wait ends, and which cycles the wait-for graph has. */
#include <criterion/criterion.h>
#include <linux/futex.h>

#include "supervisor/model/layout.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/wait.h"
#include "tests/supervisor/model/model_memory.h"

TestSuite(wait, .timeout = 60);

#define N 4
#define TID(thread) (100 + (int)(thread))
#define MUTEX(i) (BASE + 64u * (i))
#define RWLOCK (BASE + 64u * N)
#define SEMAPHORE (BASE + 64u * (N + 1))

static struct rfs_sync_thread threads[N];
static struct rfs_sync model;

static void begin(void)
{
	for (size_t i = 0; i < N; i++) {
		threads[i].tid = TID(i);
		rfs_sync_add(&model, &threads[i]);
	}
}

static void end(void)
{
	rfs_sync_release(&model);
}

static void put_mutex(unsigned mutex, struct rfs_mutex_memory memory)
{
	cr_assert(rfs_model_write(&model_memory, MUTEX(mutex), &memory, sizeof(memory)));
}

static void hold(size_t thread, unsigned mutex)
{
	put_mutex(mutex, (struct rfs_mutex_memory){.lock = 1, .owner = TID(thread)});
	rfs_sync_acquire(&threads[thread], MUTEX(mutex), RFS_OP_LOCK);
}

static void lock(size_t thread, unsigned mutex)
{
	threads[thread].wait = (struct rfs_wait){.kind = RFS_WAIT_LOCK, .object = MUTEX(mutex)};
}

static void join(size_t thread, size_t peer)
{
	threads[thread].wait = (struct rfs_wait){.kind = RFS_WAIT_JOIN, .peer = peer};
}

static size_t cycle(size_t from, size_t *path)
{
	return rfs_wait_cycle(&model, &model_memory, from, path);
}

static enum rfs_wait_state look(size_t thread)
{
	return rfs_wait_look(&model, &threads[thread], &model_memory);
}

Test(wait, cycle_of_one, .init = begin, .fini = end)
{
	size_t path[N];

	hold(0, 0);
	lock(0, 0);
	cr_assert_eq(cycle(0, path), 1);
	cr_expect_eq(path[0], 0);
	put_mutex(0, (struct rfs_mutex_memory){.lock = 1, .owner = TID(0), .kind = RFS_MUTEX_RECURSIVE});
	cr_expect_eq(cycle(0, path), 0, "a recursive mutex");
}

Test(wait, cycle_of_two, .init = begin, .fini = end)
{
	size_t path[N];

	hold(0, 0);
	hold(2, 1);
	lock(0, 1);
	cr_expect_eq(cycle(0, path), 0, "the holder runs");
	lock(2, 0);
	cr_assert_eq(cycle(2, path), 2);
	cr_expect_eq(path[0], 2);
	cr_expect_eq(path[1], 0);
	threads[0].wait.timed = true;
	cr_expect_eq(cycle(2, path), 0, "a timeout ends the wait");
	threads[0].wait.timed = false;
	threads[0].cancel_pending = true;
	cr_expect_eq(cycle(2, path), 0, "it is being cancelled");
	threads[0].cancel_pending = false;
	put_mutex(1, (struct rfs_mutex_memory){0});
	cr_expect_eq(cycle(2, path), 0, "memory says that the mutex is free");
}

Test(wait, cycle_of_three, .init = begin, .fini = end)
{
	size_t path[N];

	for (unsigned i = 0; i < 3; i++) {
		hold(i, i);
		lock(i, (i + 1) % 3);
	}
	lock(3, 0); /* thread 3 waits too, but is outside the cycle */
	for (size_t from = 0; from < 3; from++) {
		cr_assert_eq(cycle(from, path), 3);
		for (size_t i = 0; i < 3; i++)
			cr_expect_eq(path[i], (from + i) % 3);
	}
	cr_expect_eq(cycle(3, path), 0, "it is not part of the cycle");
}

Test(wait, cycle_through_a_join, .init = begin, .fini = end)
{
	size_t path[N];

	hold(0, 0);
	join(0, 1);
	cr_expect_eq(cycle(0, path), 0);
	lock(1, 0);
	cr_assert_eq(cycle(1, path), 2);
	cr_expect_eq(path[0], 1);
	cr_expect_eq(path[1], 0);
	cr_assert_eq(cycle(0, path), 2);
	rfs_sync_thread_ended(&threads[1]);
	cr_expect_eq(cycle(0, path), 0, "it has ended");
}

Test(wait, cycle_through_one_of_two_readers, .init = begin, .fini = end)
{
	const struct rfs_rwlock_memory two_readers = {.readers = 2u << RFS_RWLOCK_READER_SHIFT};
	size_t path[N];

	cr_assert(rfs_model_write(&model_memory, RWLOCK, &two_readers, sizeof(two_readers)));
	rfs_sync_acquire(&threads[0], RWLOCK, RFS_OP_RDLOCK);
	rfs_sync_acquire(&threads[1], RWLOCK, RFS_OP_RDLOCK);
	hold(2, 0);
	lock(1, 0);
	threads[2].wait = (struct rfs_wait){.kind = RFS_WAIT_LOCK, .lock = RFS_LOCK_WRITE, .object = RWLOCK};
	cr_assert_eq(cycle(2, path), 2);
	cr_expect_eq(path[1], 1);
	threads[2].wait.lock = RFS_LOCK_READ;
	cr_expect_eq(cycle(2, path), 0, "a third reader is let in");
}

Test(wait, no_cycle_through_other_waits, .init = begin, .fini = end)
{
	size_t path[N];

	hold(0, 0);
	lock(1, 0);
	threads[0].wait = (struct rfs_wait){.kind = RFS_WAIT_FUTEX};
	cr_expect_eq(cycle(1, path), 0);
	cr_expect_eq(cycle(0, path), 0);
	threads[0].wait = (struct rfs_wait){0};
	cr_expect_eq(cycle(1, path), 0);
}

Test(wait, condition, .init = begin, .fini = end)
{
	put_mutex(0, (struct rfs_mutex_memory){0});
	threads[0].wait = (struct rfs_wait){.kind = RFS_WAIT_COND};
	threads[0].cond = (struct rfs_cond_wait){.active = true, .mutex = MUTEX(0)};
	cr_expect_eq(look(0), RFS_WAIT_GOES_ON);
	threads[0].cond.signalled = true;
	cr_expect_eq(look(0), RFS_WAIT_WOKEN);
	hold(1, 0);
	cr_expect_eq(look(0), RFS_WAIT_BLOCKED);
	put_mutex(0, (struct rfs_mutex_memory){0});
	threads[0].cond.signalled = false;
	threads[0].cancel_pending = true;
	cr_expect_eq(look(0), RFS_WAIT_WOKEN, "cancelled");
	threads[0].cancel_disabled = true;
	cr_expect_eq(look(0), RFS_WAIT_GOES_ON);
}

Test(wait, semaphore_join_and_futex, .init = begin, .fini = end)
{
	const unsigned zero = 0, one = 1, owned = TID(1);

	cr_assert(rfs_model_write(&model_memory, SEMAPHORE, &zero, sizeof(zero)));
	threads[0].wait = (struct rfs_wait){.kind = RFS_WAIT_SEMAPHORE, .object = SEMAPHORE};
	cr_expect_eq(look(0), RFS_WAIT_GOES_ON);
	cr_assert(rfs_model_write(&model_memory, SEMAPHORE, &one, sizeof(one)));
	cr_expect_eq(look(0), RFS_WAIT_OVER);
	threads[0].wait.object = NOWHERE;
	cr_expect_eq(look(0), RFS_WAIT_OVER, "the fault is the kernel's");
	threads[0].wait = (struct rfs_wait){.kind = RFS_WAIT_LOCK_PI, .object = SEMAPHORE};
	cr_assert(rfs_model_write(&model_memory, SEMAPHORE, &owned, sizeof(owned)));
	cr_expect_eq(look(0), RFS_WAIT_GOES_ON);
	join(0, 1);
	cr_expect_eq(look(0), RFS_WAIT_GOES_ON);
	rfs_sync_thread_ended(&threads[1]);
	cr_expect_eq(look(0), RFS_WAIT_OVER);
	threads[0].wait = (struct rfs_wait){.kind = RFS_WAIT_FUTEX};
	cr_expect_eq(look(0), RFS_WAIT_GOES_ON);
	threads[0].futex.awake = true;
	cr_expect_eq(look(0), RFS_WAIT_WOKEN);
	threads[0].wait = (struct rfs_wait){0};
	cr_expect_eq(look(0), RFS_WAIT_OVER);
}

/* A lock that is shared between processes. No thread of the program holds it. */
Test(wait, lock_of_another_process, .init = begin, .fini = end)
{
	struct rfs_mutex_memory mutex = {.lock = 1, .owner = TID(1), .kind = RFS_MUTEX_SHARED};

	put_mutex(0, mutex);
	cr_expect_not(rfs_wait_lock(&model, &threads[0], &model_memory, RFS_LOCK_MUTEX, MUTEX(0)).returns);
	mutex.owner = 999;
	put_mutex(0, mutex);
	cr_expect(rfs_wait_lock(&model, &threads[0], &model_memory, RFS_LOCK_MUTEX, MUTEX(0)).returns);
	mutex.kind = 0;
	put_mutex(0, mutex);
	cr_expect_not(rfs_wait_lock(&model, &threads[0], &model_memory, RFS_LOCK_MUTEX, MUTEX(0)).returns);
	cr_expect(rfs_wait_lock(&model, &threads[0], &model_memory, RFS_LOCK_MUTEX, NOWHERE).returns);
}
