/*
 * futex_test.c - futex(2): which threads are woken and in which order, the arithmetic of FUTEX_WAKE_OP, priority
 * inheritance, and robust lists.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>

#include "supervisor/model/futex.h"
#include "supervisor/model/sync.h"
#include "tests/supervisor/model/model_memory.h"

TestSuite(futex, .timeout = 60);

#define A BASE
#define B (BASE + 8)
#define ANY FUTEX_BITSET_MATCH_ANY
#define N 4

static struct rfs_sync_thread threads[N];
static struct rfs_sync model;

static void begin(void)
{
	for (int i = 0; i < N; i++) {
		threads[i].tid = 100 + i;
		rfs_sync_add(&model, &threads[i]);
	}
}

static void end(void)
{
	rfs_sync_release(&model);
}

static void fall_asleep(size_t thread, rfs_addr word, unsigned bits)
{
	cr_assert_eq(rfs_futex_sleep(&model, &threads[thread], &model_memory, word, model_memory_word(word), bits), 0);
	threads[thread].wait = (struct rfs_wait){.kind = RFS_WAIT_FUTEX};
}

static unsigned awake(void)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < N; i++)
		mask |= rfs_sync_woken(&threads[i]) ? 1u << i : 0;
	return mask;
}

static void set_word(rfs_addr word, unsigned value)
{
	cr_assert(rfs_model_write(&model_memory, word, &value, sizeof(value)));
}

Test(futex, sleeps_if_the_word_has_the_value, .init = begin, .fini = end)
{
	set_word(A, 5);
	cr_expect_eq(rfs_futex_sleep(&model, &threads[0], &model_memory, A, 5, ANY), 0);
	cr_expect_eq(rfs_futex_sleep(&model, &threads[0], &model_memory, A, 4, ANY), -EAGAIN);
	cr_expect_eq(rfs_futex_sleep(&model, &threads[0], &model_memory, NOWHERE, 5, ANY), -EFAULT);
	cr_expect_eq(rfs_futex_wake(&model, A, 1, ANY, -1), 0, "it is not parked there");
}

Test(futex, the_longest_asleep_is_woken_first, .init = begin, .fini = end)
{
	fall_asleep(2, A, ANY);
	fall_asleep(0, A, ANY);
	fall_asleep(1, A, ANY);
	fall_asleep(3, B, ANY);
	cr_expect_eq(rfs_futex_wake(&model, A, 0, ANY, -1), 0);
	cr_expect_eq(rfs_futex_wake(&model, A, 1, ANY, -1), 1);
	cr_expect_eq(awake(), 1u << 2);
	cr_expect_eq(rfs_futex_wake(&model, A, INT_MAX, ANY, -1), 2);
	cr_expect_eq(awake(), 7u);
	cr_expect_eq(rfs_futex_wake(&model, A, 1, ANY, -1), 0);
}

Test(futex, the_chosen_one_first, .init = begin, .fini = end)
{
	for (size_t i = 0; i < N; i++)
		fall_asleep(i, A, ANY);
	cr_expect_eq(rfs_futex_wake(&model, A, 2, ANY, 2), 2);
	cr_expect_eq(awake(), 1u << 2 | 1u << 0);
	cr_expect_eq(rfs_futex_wake(&model, A, 1, ANY, 2), 1, "it is awake: the longest asleep");
	cr_expect_eq(awake(), 7u);
}

Test(futex, bitset, .init = begin, .fini = end)
{
	const unsigned long args[6] = {A, FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, 9, 0, 0, 2};

	fall_asleep(0, A, 1);
	fall_asleep(1, A, 2);
	fall_asleep(2, A, 4 | 2);
	cr_expect_eq(rfs_futex_wake_call(&model, &model_memory, args, -1), 2);
	cr_expect_eq(awake(), 6u);
}

Test(futex, requeue, .init = begin, .fini = end)
{
	const unsigned long moves[6] = {A, FUTEX_CMP_REQUEUE, 1, 1, B, 7}, plain[6] = {A, FUTEX_REQUEUE, 0, 9, B, 0};

	set_word(A, 6);
	cr_expect_eq(rfs_futex_wake_call(&model, &model_memory, moves, -1), -EAGAIN);
	set_word(A, 7);
	for (size_t i = 0; i < N; i++)
		fall_asleep(i, A, ANY);
	cr_expect_eq(rfs_futex_wake_call(&model, &model_memory, moves, -1), 2, "one woken, one moved");
	cr_expect_eq(awake(), 1u);
	cr_expect_eq(threads[1].futex.word, B);
	cr_expect_eq(threads[2].futex.word, A);
	cr_expect_eq(rfs_futex_wake_call(&model, &model_memory, plain, -1), 2, "two moved");
	cr_expect_eq(rfs_futex_wake(&model, A, INT_MAX, ANY, -1), 0);
	cr_expect_eq(rfs_futex_wake(&model, B, INT_MAX, ANY, -1), 3);
}

Test(futex, wake_op, .init = begin, .fini = end)
{
	static const struct {
		int op, argument, comparison, against;
		int before, after;
		long woken; /* 1: only the waiter at the first word; 2: also the one at the second */
	} cases[] = {
		{FUTEX_OP_SET, 9, FUTEX_OP_CMP_EQ, 3, 3, 9, 2},
		{FUTEX_OP_SET, 9, FUTEX_OP_CMP_EQ, 4, 3, 9, 1},
		{FUTEX_OP_ADD, 2, FUTEX_OP_CMP_NE, 4, 3, 5, 2},
		{FUTEX_OP_ADD, -1, FUTEX_OP_CMP_LT, 0, -2, -3, 2},
		{FUTEX_OP_ADD, 1, FUTEX_OP_CMP_LT, 0, INT_MAX, INT_MIN, 1},
		{FUTEX_OP_OR, 6, FUTEX_OP_CMP_LE, 3, 3, 7, 2},
		{FUTEX_OP_ANDN, 1, FUTEX_OP_CMP_GT, 2, 3, 2, 2},
		{FUTEX_OP_XOR, 5, FUTEX_OP_CMP_GE, 3, 3, 6, 2},
		{FUTEX_OP_XOR, 5, FUTEX_OP_CMP_GE, 4, 3, 6, 1},
		{FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT, 4, FUTEX_OP_CMP_EQ, 3, 3, 19, 2},
		{FUTEX_OP_OR, -2048, FUTEX_OP_CMP_EQ, -2048, -2048, -2048, 2},
		{5, 0, FUTEX_OP_CMP_EQ, 0, 0, 0, -ENOSYS},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		/* not FUTEX_OP(), which shifts into the sign bit */
		const unsigned encoded = (unsigned)cases[i].op << 28 | (unsigned)cases[i].comparison << 24 |
					 ((unsigned)cases[i].argument & 0xfff) << 12 |
					 ((unsigned)cases[i].against & 0xfff);
		const unsigned long args[6] = {A, FUTEX_WAKE_OP, 1, 1, B, encoded};

		set_word(A, 0);
		set_word(B, (unsigned)cases[i].before);
		fall_asleep(0, A, ANY);
		fall_asleep(1, B, ANY);
		cr_expect_eq(rfs_futex_wake_call(&model, &model_memory, args, -1), cases[i].woken, "%zu", i);
		cr_expect_eq((int)model_memory_word(B), cases[i].after, "%zu: %d", i, (int)model_memory_word(B));
	}
}

Test(futex, wake_op_without_memory, .init = begin, .fini = end)
{
	const unsigned long args[6] = {A, FUTEX_WAKE_OP, 1, 1, NOWHERE, 0};

	cr_expect_eq(rfs_futex_wake_call(&model, &model_memory, args, -1), -EFAULT);
}

Test(futex, priority_inheritance, .init = begin, .fini = end)
{
	struct rfs_sync_thread *owner = &threads[0], *other = &threads[1];
	bool waits;

	set_word(A, 0);
	cr_expect(rfs_futex_pi_is_free(&model_memory, A));
	cr_expect_eq(rfs_futex_lock_pi(&model, owner, &model_memory, A, false, &waits), 0);
	cr_expect_not(waits);
	cr_expect_eq(model_memory_word(A), 100);
	cr_expect_eq(rfs_futex_lock_pi(&model, owner, &model_memory, A, false, &waits), -EDEADLK);
	cr_expect_eq(rfs_futex_lock_pi(&model, other, &model_memory, A, true, &waits), -EAGAIN);
	cr_expect_not(waits);
	cr_expect_eq(rfs_futex_lock_pi(&model, other, &model_memory, A, false, &waits), 0);
	cr_expect(waits);
	cr_expect_eq(model_memory_word(A), FUTEX_WAITERS | 100);
	other->wait = (struct rfs_wait){.kind = RFS_WAIT_LOCK_PI, .object = A};
	cr_expect_eq(rfs_futex_unlock_pi(other, &model_memory, A), -EPERM);
	cr_expect_eq(rfs_futex_unlock_pi(owner, &model_memory, A), 0);
	cr_expect(rfs_futex_pi_is_free(&model_memory, A));
	cr_expect_eq(rfs_futex_take_pi(&model, &threads[2], &model_memory, A), 0, "before the one that waits");
	cr_expect_eq(model_memory_word(A), FUTEX_WAITERS | 102);
	set_word(A, FUTEX_OWNER_DIED);
	cr_expect_eq(rfs_futex_take_pi(&model, other, &model_memory, A), 0);
	cr_expect_eq(model_memory_word(A), FUTEX_OWNER_DIED | 101);
	cr_expect_eq(rfs_futex_lock_pi(&model, owner, &model_memory, NOWHERE, false, &waits), -EFAULT);
	cr_expect_eq(rfs_futex_unlock_pi(owner, &model_memory, NOWHERE), -EFAULT);
}

/* Two mutexes. Their list entries are 32 bytes after their lock words. The low bit marks one as priority-inheriting. */
Test(futex, robust_list)
{
	const struct {
		uint64_t next;
		int64_t offset;
		uint64_t pending;
	} head = {BASE + 132, -32, 0};
	const uint64_t first = (BASE + 232) | 1, second = BASE;
	rfs_addr words[4];

	model_memory_put(BASE, &head, sizeof(head));
	cr_assert(rfs_model_write(&model_memory, BASE + 132, &first, sizeof(first)));
	cr_assert(rfs_model_write(&model_memory, BASE + 232, &second, sizeof(second)));
	cr_assert_eq(rfs_futex_robust_words(&model_memory, BASE, words, 4), 2);
	cr_expect_eq(words[0], BASE + 100);
	cr_expect_eq(words[1], BASE + 200);
	cr_expect_eq(rfs_futex_robust_words(&model_memory, BASE, words, 1), 1);
	cr_expect_eq(rfs_futex_robust_words(&model_memory, NOWHERE, words, 4), 0);
}

Test(futex, a_dead_owner_is_marked)
{
	set_word(A, FUTEX_WAITERS | 100);
	rfs_futex_mark_dead(&model_memory, 101, A);
	cr_expect_eq(model_memory_word(A), FUTEX_WAITERS | 100, "another thread's");
	rfs_futex_mark_dead(&model_memory, 100, A);
	cr_expect_eq(model_memory_word(A), FUTEX_WAITERS | FUTEX_OWNER_DIED);
}
