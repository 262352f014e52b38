/* sync_test.c - the locks that threads hold. */
#include <criterion/criterion.h>

#include "supervisor/model/sync.h"

TestSuite(sync, .timeout = 60);

#define L 0x1000u
#define M 0x2000u

static struct rfs_sync_thread threads[3];
static struct rfs_sync model;

static void begin(void)
{
	for (size_t i = 0; i < 3; i++)
		rfs_sync_add(&model, &threads[i]);
}

static void end(void)
{
	rfs_sync_release(&model);
}

Test(sync, holds_are_counted, .init = begin, .fini = end)
{
	enum rfs_op_kind kind = RFS_OP_NONE;

	cr_expect_not(rfs_sync_release_lock(&threads[0], L, &kind), "holds nothing");
	cr_expect(rfs_sync_acquire(&threads[0], L, RFS_OP_LOCK));
	cr_expect_not(rfs_sync_acquire(&threads[0], L, RFS_OP_LOCK), "the second hold of a recursive mutex");
	cr_expect(rfs_sync_acquire(&threads[0], M, RFS_OP_RDLOCK));
	cr_expect_eq(threads[0].n_holds, 2);
	cr_expect_not(rfs_sync_release_lock(&threads[0], L, &kind));
	cr_expect(rfs_sync_holds(&threads[0], L));
	cr_expect(rfs_sync_release_lock(&threads[0], L, &kind));
	cr_expect_eq(kind, RFS_OP_LOCK);
	cr_expect_not(rfs_sync_holds(&threads[0], L));
	cr_expect(rfs_sync_release_lock(&threads[0], M, &kind));
	cr_expect_eq(kind, RFS_OP_RDLOCK);
	cr_expect_eq(threads[0].n_holds, 0);
}

Test(sync, the_first_thread_that_lives_is_the_holder, .init = begin, .fini = end)
{
	cr_expect_eq(rfs_sync_holder(&model, L, NULL), -1);
	cr_expect_eq(rfs_sync_unlocks(&model, &threads[0], L), -1);
	rfs_sync_acquire(&threads[1], L, RFS_OP_RDLOCK);
	rfs_sync_acquire(&threads[2], L, RFS_OP_RDLOCK);
	cr_expect_eq(rfs_sync_holder(&model, L, NULL), 1);
	cr_expect_eq(rfs_sync_holder(&model, L, &threads[1]), 2);
	cr_expect_eq(rfs_sync_unlocks(&model, &threads[2], L), 2, "its own hold first");
	cr_expect_eq(rfs_sync_unlocks(&model, &threads[0], L), 1, "otherwise another thread's");
	rfs_sync_thread_ended(&threads[1]);
	cr_expect_eq(rfs_sync_holder(&model, L, NULL), 2);
}

Test(sync, copies_are_independent, .init = begin, .fini = end)
{
	struct rfs_sync_thread copy;
	struct rfs_sync other = {0};
	enum rfs_op_kind kind;

	model.next_order = 3;
	model.next_message = 5;
	rfs_sync_acquire(&threads[0], L, RFS_OP_LOCK);
	rfs_sync_copy(&model, &other);
	rfs_sync_thread_copy(&threads[0], &copy);
	rfs_sync_add(&other, &copy);
	cr_expect_eq(other.next_order, 3);
	cr_expect_eq(other.next_message, 5);
	cr_expect(rfs_sync_release_lock(&copy, L, &kind));
	cr_expect(rfs_sync_holds(&threads[0], L));
	rfs_sync_release(&other);
	rfs_sync_thread_exec(&threads[0]);
	cr_expect_eq(threads[0].n_holds, 0);
}
