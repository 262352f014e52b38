/* dependence_test.c - whether two next operations are dependent, pair by pair. */
#include <criterion/criterion.h>

#include "policy/core/dependence.h"

TestSuite(dependence, .timeout = 20);

#define OP(k, ...) ((struct rfs_op){.kind = RFS_OP_##k, .peer = -1, ##__VA_ARGS__})
#define ON(k, o) OP(k, .object = (o))
#define READ(o, n) OP(ACCESS, .object = (o), .size = (n), .access = RFS_ACCESS_READ)
#define WRITE(o, n) OP(ACCESS, .object = (o), .size = (n), .access = RFS_ACCESS_WRITE)
#define FREE(o, n) OP(ACCESS, .object = (o), .size = (n), .access = RFS_ACCESS_WRITE | RFS_ACCESS_FREE)
#define PEER(k, p) ((struct rfs_op){.kind = RFS_OP_##k, .peer = (p)})
#define WAIT(c, m) OP(COND_WAIT, .object = (c), .object2 = (m))
#define WAKE(c, m) OP(COND_WAKE, .object = (c), .object2 = (m))

enum { A = 0x1000, B = 0x2000 };

/* a is an operation of thread 1, and b one of thread 2. */
static const struct {
	struct rfs_op a, b;
	bool dependent;
} table[] = {
	/* locks */
	{ON(LOCK, A), ON(LOCK, A), true},
	{ON(LOCK, A), ON(LOCK, B), false},
	{ON(LOCK, A), ON(UNLOCK, A), true},
	{ON(LOCK, A), ON(TRYLOCK, A), true},
	{ON(TRYLOCK, A), ON(TRYLOCK, A), true},
	{ON(UNLOCK, A), ON(UNLOCK, B), false},
	{ON(RDLOCK, A), ON(RDLOCK, A), false},
	{ON(RDLOCK, A), ON(WRLOCK, A), true},
	{ON(RDLOCK, A), ON(UNLOCK, A), true},
	{ON(WRLOCK, A), ON(WRLOCK, A), true},
	{ON(DESTROY, A), ON(LOCK, A), true},
	{ON(DESTROY, A), ON(RDLOCK, A), true},
	/* condition variables: dependent if the condition variable or the mutex is the same */
	{WAIT(A, B), ON(COND_SIGNAL, A), true},
	{WAIT(A, B), ON(LOCK, B), true},
	{WAIT(A, B), ON(LOCK, A + 64), false},
	{WAKE(A, B), ON(COND_SIGNAL, A), true},
	{WAKE(A, B), ON(COND_BROADCAST, A), true},
	{WAKE(A, B), ON(UNLOCK, B), true},
	{WAKE(A, B), WAKE(A, B), true},
	{ON(COND_SIGNAL, A), ON(COND_SIGNAL, A), true},
	{ON(COND_SIGNAL, A), ON(COND_SIGNAL, B), false},
	{ON(COND_BROADCAST, A), ON(COND_SIGNAL, A), true},
	/* semaphores */
	{ON(SEM_POST, A), ON(SEM_POST, A), false},
	{ON(SEM_POST, A), ON(SEM_WAIT, A), true},
	{ON(SEM_WAIT, A), ON(SEM_WAIT, A), true},
	{ON(SEM_TRYWAIT, A), ON(SEM_POST, A), true},
	{ON(SEM_POST, A), ON(SEM_WAIT, B), false},
	{ON(SEM_VALUE, A), ON(SEM_VALUE, A), false},
	{ON(SEM_VALUE, A), ON(SEM_POST, A), true},
	{ON(SEM_VALUE, A), ON(SEM_TRYWAIT, A), true},
	{ON(SEM_VALUE, A), ON(SEM_POST, B), false},
	/* the end of a thread: its stack, a robust mutex */
	{OP(EXIT, .object = A, .size = 64), READ(A + 8, 4), true},
	{OP(EXIT, .object = A, .size = 64), READ(A + 64, 4), false},
	{OP(EXIT, .object2 = B), ON(TRYLOCK, B), true},
	{OP(EXIT, .object2 = B), ON(LOCK, A), false},
	{OP(EXIT), OP(EXIT), false},
	/* barriers, once */
	{ON(BARRIER_WAIT, A), ON(BARRIER_WAIT, A), true},
	{ON(BARRIER_ARRIVE, A), ON(BARRIER_ARRIVE, A), false},
	{ON(BARRIER_ARRIVE, A), ON(BARRIER_WAIT, A), true},
	{ON(BARRIER_ARRIVE, A), ON(BARRIER_LEAVE, A), true},
	{ON(BARRIER_LEAVE, A), ON(BARRIER_LEAVE, A), false},
	{ON(BARRIER_WAIT, A), ON(BARRIER_LEAVE, A), true},
	{ON(ONCE, A), ON(ONCE, A), true},
	{ON(ONCE, A), ON(ONCE, B), false},
	/* memory */
	{READ(A, 8), READ(A, 8), false},
	{READ(A, 8), WRITE(A, 8), true},
	{WRITE(A, 8), WRITE(A, 8), true},
	{WRITE(A, 4), WRITE(A + 4, 4), false},
	{WRITE(A, 8), READ(A + 7, 1), true},
	{READ(A, 0), WRITE(A, 8), false},
	{WRITE(UINT64_MAX - 7, 8), WRITE(0, 8), false},
	{OP(SPIN_READ, .object = A, .size = 4, .access = RFS_ACCESS_READ), WRITE(A, 4), true},
	{OP(SPIN_READ, .object = A, .size = 4, .access = RFS_ACCESS_READ), READ(A, 4), false},
	{FREE(A, 64), READ(A + 63, 1), true},
	{FREE(A, 64), ON(LOCK, A + 8), true},
	{FREE(A, 64), ON(LOCK, A + 64), false},
	{WRITE(A, 8), ON(LOCK, A), false}, /* locks are not memory: only other lock operations matter */
	/* futexes: the wait reads the word */
	{ON(FUTEX_WAIT, A), WRITE(A, 4), true},
	{ON(FUTEX_WAIT, A), READ(A, 4), false},
	{ON(FUTEX_WAIT, A), WRITE(A + 4, 4), false},
	{ON(FUTEX_WAIT, A), ON(FUTEX_WAKE, A), true},
	{ON(FUTEX_WAKE, A), WRITE(A, 4), false},
	{ON(FUTEX_SLEEP, A), ON(FUTEX_WAKE, A), true},
	{ON(FUTEX_SLEEP, A), ON(FUTEX_SLEEP, A), false},
	/* threads: 1 and 2 execute the operations, 3 is another thread */
	{PEER(CREATE, 2), OP(START), true},
	{PEER(CREATE, 3), OP(START), false},
	{OP(CREATE), OP(CREATE), false},
	{OP(START), OP(START), false},
	{OP(EXIT), PEER(JOIN, 1), true},
	{OP(EXIT), PEER(JOIN, 3), false},
	{OP(EXIT), OP(EXIT), false},
	{PEER(JOIN, 3), PEER(JOIN, 4), false},
	{PEER(KILL, 2), OP(YIELD), true},
	{PEER(KILL, 3), OP(YIELD), false},
	{OP(KILL), READ(A, 8), true}, /* a kill whose receiver is unknown */
	/* others */
	{OP(YIELD), OP(YIELD), false},
	{OP(SLEEP), ON(LOCK, A), false},
	{OP(SLEEP), OP(SLEEP), false},
	{OP(SYSCALL), OP(SYSCALL), true},
	{OP(SYSCALL), ON(LOCK, A), false},
	{OP(NONE), ON(LOCK, A), true},
};

Test(dependence, pair_by_pair)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct rfs_op *a = &table[i].a, *b = &table[i].b;

		cr_expect_eq(rfs_dependent(1, a, 2, b), table[i].dependent, "row %zu: %s, %s", i, rfs_op_name(a->kind),
			     rfs_op_name(b->kind));
		cr_expect_eq(rfs_dependent(2, b, 1, a), table[i].dependent, "row %zu, the other way: %s, %s", i,
			     rfs_op_name(a->kind), rfs_op_name(b->kind));
		cr_expect(rfs_dependent(1, a, 1, b), "row %zu: of one thread", i);
	}
}

/* All pairs of kinds: dependent if both are of one thread, symmetric otherwise. Each kind has a row in the table. */
Test(dependence, every_kind)
{
	for (int a = 0; a < RFS_OP_COUNT; a++) {
		struct rfs_touch touches[RFS_TOUCHES_MAX];
		struct rfs_op of_a = {.kind = (enum rfs_op_kind)a, .peer = 2, .object = A, .object2 = B, .size = 8};

		of_a.access = RFS_ACCESS_WRITE | RFS_ACCESS_FREE;
		cr_expect_leq(rfs_touches(1, &of_a, touches), RFS_TOUCHES_MAX);
		for (int b = 0; b < RFS_OP_COUNT; b++) {
			struct rfs_op of_b = of_a;

			of_b.kind = (enum rfs_op_kind)b;
			of_b.peer = 1;
			cr_expect(rfs_dependent(1, &of_a, 1, &of_b));
			cr_expect_eq(rfs_dependent(1, &of_a, 2, &of_b), rfs_dependent(2, &of_b, 1, &of_a));
		}
	}
}
