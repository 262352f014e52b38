/* barrier_test.c - the rounds of a barrier. */
#include <criterion/criterion.h>

#include "supervisor/model/barrier.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/wait.h"
#include "tests/supervisor/model/model_memory.h"

TestSuite(barrier, .timeout = 60);

static struct rfs_sync_thread threads[3];
static struct rfs_sync model;

static void begin(void)
{
	const struct rfs_barrier_memory barrier = {.count = 3};

	for (size_t i = 0; i < 3; i++)
		rfs_sync_add(&model, &threads[i]);
	model_memory_put(BASE, &barrier, sizeof(barrier));
}

static void end(void)
{
	rfs_sync_release(&model);
}

static bool can_leave(size_t thread)
{
	return rfs_wait_look(&model, &threads[thread], &model_memory) == RFS_WAIT_OVER;
}

static void arrive(size_t thread)
{
	const struct rfs_arrival arrival = rfs_barrier_arrive(&model, &model_memory, BASE);

	threads[thread].wait = (struct rfs_wait){
		.kind = RFS_WAIT_BARRIER, .object = BASE, .round = arrival.round, .message = arrival.message};
}

Test(barrier, the_last_one_ends_the_round, .init = begin, .fini = end)
{
	struct rfs_arrival last;

	for (uint64_t round = 0; round < 3; round++) {
		arrive(0);
		arrive(1);
		cr_expect_not(can_leave(0));
		cr_expect_not(can_leave(1));
		cr_expect_eq(threads[0].wait.message, round, "one message a round");
		cr_expect_eq(threads[1].wait.message, round);
		last = rfs_barrier_arrive(&model, &model_memory, BASE);
		cr_expect(last.last);
		cr_expect_eq(last.round, round);
		cr_expect_eq(last.message, round);
		cr_expect_eq(rfs_barrier_round(&model, BASE), round + 1);
		cr_expect(can_leave(0));
		cr_expect(can_leave(1));
	}
}

/* One thread has not yet left a round, and another thread has already arrived at the next round. */
Test(barrier, rounds_overlap, .init = begin, .fini = end)
{
	arrive(0);
	arrive(1);
	arrive(2);
	cr_expect_not(rfs_barrier_message_is_last(&model, &threads[2], 0));
	arrive(2);
	cr_expect(can_leave(0));
	cr_expect_not(can_leave(2), "it waits for the second round");
	threads[0].wait = (struct rfs_wait){0};
	cr_expect(rfs_barrier_message_is_last(&model, &threads[1], 0));
}

/* If more threads come than one round needs, the order of arrivals decides who is in the first round. */
Test(barrier, only_the_last_one_differs, .init = begin, .fini = end)
{
	for (int round = 0; round < 2; round++)
		for (int thread = 0; thread < 3; thread++)
			cr_expect(rfs_barrier_approach(&model, &model_memory, BASE, thread));
	cr_expect_not(rfs_barrier_approach(&model, &model_memory, BASE, 3));
	cr_expect_not(rfs_barrier_approach(&model, &model_memory, BASE, 0),
		      "it may have to wait for the second round now");
}

Test(barrier, is_private)
{
	static const struct {
		const char *name;
		struct rfs_barrier_memory memory;
		bool expect;
	} cases[] = {
		{"two parties", {.count = 2}, true},
		{"not initialised", {.count = 0}, false},
		{"shared between processes", {.count = 2, .shared = 128}, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		model_memory_put(BASE, &cases[i].memory, sizeof(cases[i].memory));
		cr_expect_eq(rfs_barrier_is_private(&model_memory, BASE), cases[i].expect, "%s", cases[i].name);
	}
	cr_expect_not(rfs_barrier_is_private(&model_memory, NOWHERE));
}
