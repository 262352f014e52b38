/* dependence.c - the table of effects by kind of operation, and the comparison of touches. */
#include "policy/core/dependence.h"

#include "policy/core/op.h"

#define N RFS_EFFECT_NONE
#define R RFS_EFFECT_READ
#define A RFS_EFFECT_ADD
#define W RFS_EFFECT_WRITE

/* The size of a futex word. FUTEX_WAIT reads this word. */
#define FUTEX_SIZE 4

/*
 * One row for each kind. If two operations on one object commute only in some states, the row says that they never do.
 * Two semaphore waits compete for the last token, two signals for the thread that wakes first. Two arrivals at a
 * barrier compete for being the serial thread, except two BARRIER_ARRIVE: nobody looks who that is. The row of UNLOCK
 * is for an exclusive hold. The release of a shared hold (READ in op->access) commutes with other readers.
 */
static const struct row {
	enum rfs_effect object, object2;
	enum rfs_effect word;		 /* on the futex word at object, as memory */
	enum rfs_effect life, peer_life; /* on the lives of the thread itself and of its peer */
	enum rfs_effect
		peer_turn; /* on the peer's next operation, whatever it is: W if this operation may interrupt it */
	enum rfs_effect outside;
	bool anybody; /* like peer_turn, but for every thread; used if the peer is unknown */
} table[RFS_OP_COUNT] = {
	[RFS_OP_NONE] = {.anybody = true},
	[RFS_OP_START] = {.life = W},
	[RFS_OP_CREATE] = {.peer_life = W},
	[RFS_OP_EXIT] = {.object2 = W, .life = W}, /* object2: a robust mutex that the thread holds */
	[RFS_OP_JOIN] = {.peer_life = W},
	[RFS_OP_KILL] = {.peer_turn = W, .anybody = true},
	[RFS_OP_LOCK] = {.object = W},
	[RFS_OP_RDLOCK] = {.object = R},
	[RFS_OP_WRLOCK] = {.object = W},
	[RFS_OP_TRYLOCK] = {.object = W},
	[RFS_OP_UNLOCK] = {.object = W},
	[RFS_OP_COND_WAIT] = {.object = W, .object2 = W},
	[RFS_OP_COND_WAKE] = {.object = R, .object2 = W},
	[RFS_OP_COND_SIGNAL] = {.object = W},
	[RFS_OP_COND_BROADCAST] = {.object = W},
	[RFS_OP_SEM_WAIT] = {.object = W},
	[RFS_OP_SEM_TRYWAIT] = {.object = W},
	[RFS_OP_SEM_POST] = {.object = A},
	[RFS_OP_SEM_VALUE] = {.object = R},
	[RFS_OP_BARRIER_WAIT] = {.object = W},
	[RFS_OP_BARRIER_ARRIVE] = {.object = A},
	[RFS_OP_BARRIER_LEAVE] = {.object = R},
	[RFS_OP_ONCE] = {.object = W},
	[RFS_OP_DESTROY] = {.object = W},
	[RFS_OP_FUTEX_WAIT] = {.object = W, .word = R},
	[RFS_OP_FUTEX_SLEEP] = {.object = R},
	[RFS_OP_FUTEX_WAKE] = {.object = W},
	[RFS_OP_YIELD] = {.object = N},
	[RFS_OP_SLEEP] = {.object = N},
	[RFS_OP_ACCESS] = {.object = N},    /* touch_memory() adds its effect, from its access flags */
	[RFS_OP_SPIN_READ] = {.object = N}, /* as for RFS_OP_ACCESS */
	[RFS_OP_SYSCALL] = {.outside = W},
	[RFS_OP_KERNEL] = {.outside = W},
	[RFS_OP_POINT] = {.outside = W}, /* the user says that something happens here that rfsup does not see */
};

#undef N
#undef R
#undef A
#undef W

struct list {
	struct rfs_touch *out;
	size_t n;
};

static void dependence_touch(struct list *list, enum rfs_touch_space space, enum rfs_effect effect, rfs_addr address,
			     uint64_t size)
{
	if (effect != RFS_EFFECT_NONE && size > 0)
		list->out[list->n++] = (struct rfs_touch){space, effect, address, size};
}

static void touch_memory(struct list *list, const struct rfs_op *op)
{
	bool writes = op->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE);

	dependence_touch(list, RFS_SPACE_MEMORY, writes ? RFS_EFFECT_WRITE : RFS_EFFECT_READ, op->object, op->size);
	/* A free also ends the life of locks and other objects in the block. */
	if (op->access & RFS_ACCESS_FREE)
		dependence_touch(list, RFS_SPACE_OBJECT, RFS_EFFECT_WRITE, op->object, op->size);
}

static enum rfs_effect on_object(const struct rfs_op *op, const struct row *row)
{
	return op->kind == RFS_OP_UNLOCK && (op->access & RFS_ACCESS_READ) ? RFS_EFFECT_READ : row->object;
}

size_t rfs_touches(int thread, const struct rfs_op *op, struct rfs_touch out[RFS_TOUCHES_MAX])
{
	const struct row *row = &table[op->kind < RFS_OP_COUNT ? op->kind : RFS_OP_NONE];
	bool everybody = row->anybody && op->peer < 0;
	struct list list = {.out = out};

	dependence_touch(&list, RFS_SPACE_TURN, RFS_EFFECT_WRITE, (rfs_addr)thread, 1);
	dependence_touch(&list, RFS_SPACE_WORLD, everybody ? RFS_EFFECT_WRITE : RFS_EFFECT_READ, 0, 1);
	if (op->object) {
		dependence_touch(&list, RFS_SPACE_OBJECT, on_object(op, row), op->object, 1);
		dependence_touch(&list, RFS_SPACE_MEMORY, row->word, op->object, FUTEX_SIZE);
	}
	if (op->object2)
		dependence_touch(&list, RFS_SPACE_OBJECT, row->object2, op->object2, 1);
	dependence_touch(&list, RFS_SPACE_LIFE, row->life, (rfs_addr)thread, 1);
	if (op->peer >= 0) {
		dependence_touch(&list, RFS_SPACE_LIFE, row->peer_life, (rfs_addr)op->peer, 1);
		/* The turn of the thread itself was already added. */
		if (op->peer != thread)
			dependence_touch(&list, RFS_SPACE_TURN, row->peer_turn, (rfs_addr)op->peer, 1);
	}
	dependence_touch(&list, RFS_SPACE_OUTSIDE, row->outside, 0, 1);
	if (rfs_op_is_access(op->kind))
		touch_memory(&list, op);
	/* the stack of a thread ends with it */
	if (op->kind == RFS_OP_EXIT)
		dependence_touch(&list, RFS_SPACE_MEMORY, RFS_EFFECT_WRITE, op->object, op->size);
	return list.n;
}

static bool dependence_conflict(const struct rfs_touch *a, const struct rfs_touch *b)
{
	if (a->space != b->space || (a->effect == b->effect && a->effect != RFS_EFFECT_WRITE))
		return false;
	/* Subtract instead of computing the end of a range, which could exceed 2^64. */
	return a->address < b->address ? b->address - a->address < a->size : a->address - b->address < b->size;
}

bool rfs_touches_conflict(const struct rfs_touch *a, size_t n_a, const struct rfs_touch *b, size_t n_b)
{
	for (size_t i = 0; i < n_a; i++) {
		for (size_t j = 0; j < n_b; j++) {
			if (dependence_conflict(&a[i], &b[j]))
				return true;
		}
	}
	return false;
}

bool rfs_dependent(int thread_a, const struct rfs_op *a, int thread_b, const struct rfs_op *b)
{
	struct rfs_touch of_a[RFS_TOUCHES_MAX], of_b[RFS_TOUCHES_MAX];
	size_t n_a = rfs_touches(thread_a, a, of_a), n_b = rfs_touches(thread_b, b, of_b);

	return rfs_touches_conflict(of_a, n_a, of_b, n_b);
}
