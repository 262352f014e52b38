/*
 * loops.c - compares each round of a loop with the round before, by the operations in it and by what other threads
 * have changed since.
 */
#include "policy/choice/loops.h"

#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"
#include "policy/core/op.h"

struct rfs_loops_op {
	struct rfs_op op;
	int thread;
	enum rfs_outcome outcome;
	unsigned rounds; /* how often the thread has given up its turn here in a row */
};

bool rfs_loops_gives_up(const struct rfs_op *op, enum rfs_outcome outcome)
{
	return op->kind == RFS_OP_YIELD || op->kind == RFS_OP_SLEEP || outcome == RFS_OUTCOME_TIMED_OUT;
}

/* What a thread learns nothing from, and what changes nothing by the end of the round. */
static bool is_neutral(const struct rfs_loops_op *at)
{
	return at->op.kind == RFS_OP_YIELD || at->op.kind == RFS_OP_SLEEP || at->op.kind == RFS_OP_LOCK ||
	       at->op.kind == RFS_OP_RDLOCK || at->op.kind == RFS_OP_WRLOCK || at->op.kind == RFS_OP_UNLOCK;
}

/* Looks whether another thread has changed something. */
static bool looks(const struct rfs_loops_op *at)
{
	switch (at->op.kind) {
	case RFS_OP_TRYLOCK:
	case RFS_OP_SEM_TRYWAIT:
	case RFS_OP_SEM_VALUE:
	case RFS_OP_COND_WAIT:
	case RFS_OP_FUTEX_WAIT:
	case RFS_OP_SPIN_READ:
		return true;
	case RFS_OP_ACCESS:
		return !(at->op.access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE));
	default:
		return at->outcome == RFS_OUTCOME_TIMED_OUT;
	}
}

/* Whether the first operation may let the second one, which looks, find something else. */
static bool changes(const struct rfs_loops_op *at, const struct rfs_loops_op *look)
{
	switch (at->op.kind) {
	case RFS_OP_LOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_WRLOCK:
	case RFS_OP_TRYLOCK:
	case RFS_OP_SEM_TRYWAIT:
	case RFS_OP_SEM_VALUE:
	case RFS_OP_COND_WAKE:
	case RFS_OP_FUTEX_WAIT:
	case RFS_OP_FUTEX_SLEEP:
		return false;
	default:
		return rfs_dependent(at->thread, &at->op, look->thread, &look->op);
	}
}

static bool loops_is_same(const struct rfs_loops_op *a, const struct rfs_loops_op *b)
{
	return a->thread == b->thread && a->op.kind == b->op.kind && a->op.site == b->op.site &&
	       a->op.object == b->op.object && a->outcome == b->outcome;
}

/* Where the thread of the last operation has executed the same one before, plus 1; 0: nowhere. */
static size_t find_round(const struct rfs_loops *loops)
{
	const struct rfs_loops_op *last = &loops->ops[loops->n - 1];
	size_t own = 0;

	for (size_t i = loops->n - 1; i-- > 0 && own < RFS_LOOPS_LENGTH;) {
		if (loops_is_same(&loops->ops[i], last))
			return i + 1;
		own += loops->ops[i].thread == last->thread;
	}
	return 0;
}

/* Whether the thread of the last operation has looked from here on, and neither it nor another has changed anything. */
static bool waits_since(const struct rfs_loops *loops, size_t from)
{
	const int thread = loops->ops[loops->n - 1].thread;
	bool any = false;

	for (size_t i = from; i < loops->n; i++) {
		const struct rfs_loops_op *at = &loops->ops[i];

		if (at->thread != thread)
			continue;
		any |= looks(at);
		if (!looks(at) && !is_neutral(at))
			return false;
		for (size_t k = from; k < loops->n && looks(at); k++)
			if (loops->ops[k].thread != thread && changes(&loops->ops[k], at))
				return false;
	}
	return any;
}

bool rfs_loops_ran(struct rfs_loops *loops, int thread, const struct rfs_op *op, enum rfs_outcome outcome)
{
	struct rfs_loops_op *last;
	size_t before;

	loops->ops = rfs_policy_grow(loops->ops, &loops->capacity, loops->n + 1, sizeof(*loops->ops));
	last = &loops->ops[loops->n++];
	*last = (struct rfs_loops_op){*op, thread, outcome, 1};
	if (!rfs_loops_gives_up(op, outcome))
		return false;
	before = find_round(loops);
	if (!before)
		return false;
	last->rounds = loops->ops[before - 1].rounds + 1;
	return last->rounds > RFS_LOOPS_ROUNDS || waits_since(loops, before);
}

void rfs_loops_release(struct rfs_loops *loops)
{
	free(loops->ops);
	*loops = (struct rfs_loops){0};
}
