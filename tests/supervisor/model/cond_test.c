/* cond_test.c - which waiter a signal wakes. */
#include <criterion/criterion.h>

#include "supervisor/model/cond.h"
#include "supervisor/model/sync.h"

TestSuite(cond, .timeout = 60);

#define COND 0x1000u
#define OTHER 0x1100u
#define MUTEX 0x2000u

static struct rfs_sync_thread threads[4];
static struct rfs_sync model;

/* Threads 2, 0 and 1 wait, in this order. Thread 3 waits at another condition variable. */
static void begin(void)
{
	for (size_t i = 0; i < 4; i++)
		rfs_sync_add(&model, &threads[i]);
	rfs_cond_sleep(&model, &threads[2], COND, MUTEX);
	rfs_cond_sleep(&model, &threads[3], OTHER, MUTEX);
	rfs_cond_sleep(&model, &threads[0], COND, MUTEX);
	rfs_cond_sleep(&model, &threads[1], COND, MUTEX);
}

static void end(void)
{
	rfs_sync_release(&model);
}

static unsigned signalled(void)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < 4; i++)
		mask |= threads[i].cond.signalled ? 1u << i : 0;
	return mask;
}

Test(cond, the_longest_waiting_is_first, .init = begin, .fini = end)
{
	const unsigned expect[] = {1u << 2, 1u << 2 | 1u << 0, 1u << 2 | 1u << 0 | 1u << 1};

	for (uint64_t i = 0; i < 3; i++) {
		cr_expect(rfs_cond_signal(&model, COND, -1, 10 + i));
		cr_expect_eq(signalled(), expect[i], "%#x", signalled());
	}
	cr_expect_not(rfs_cond_signal(&model, COND, -1, 13), "nobody is left");
	cr_expect_eq(threads[2].cond.message, 10);
	cr_expect_eq(threads[0].cond.message, 11);
	cr_expect_eq(threads[1].cond.message, 12);
}

Test(cond, the_chosen_one_if_it_waits_there, .init = begin, .fini = end)
{
	cr_expect(rfs_cond_signal(&model, COND, 1, 0));
	cr_expect_eq(signalled(), 1u << 1);
	cr_expect(rfs_cond_signal(&model, COND, 1, 0), "it is woken already: the longest waiting");
	cr_expect_eq(signalled(), 1u << 1 | 1u << 2);
	cr_expect(rfs_cond_signal(&model, COND, 3, 0), "it waits for another variable");
	cr_expect_eq(signalled(), 1u << 1 | 1u << 2 | 1u << 0);
	cr_expect_not(rfs_cond_signal(&model, COND, 99, 0), "there is no such thread");
}

Test(cond, a_broadcast_wakes_all_with_one_message, .init = begin, .fini = end)
{
	cr_expect_eq(rfs_cond_broadcast(&model, COND, 7), 3);
	cr_expect_eq(signalled(), 7u);
	cr_expect_eq(rfs_cond_broadcast(&model, COND, 8), 0);
	for (size_t i = 0; i < 3; i++) {
		cr_expect_eq(threads[i].cond.message, 7);
		cr_expect_eq(rfs_cond_message_is_last(&model, &threads[i], 7), i == 2, "%zu", i);
		threads[i].cond.active = false;
	}
}

Test(cond, an_ended_thread_does_not_wait, .init = begin, .fini = end)
{
	rfs_sync_thread_ended(&threads[2]);
	cr_expect(rfs_cond_signal(&model, COND, -1, 0));
	cr_expect_eq(signalled(), 1u << 0);
}
