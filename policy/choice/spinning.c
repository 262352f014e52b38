/*
 * spinning.c - weighs operations that change nothing, and counts them until the limit is reached. It does not say
 * which thread to run instead.
 */
#include "policy/choice/spinning.h"

/* 0: no thread that only waits executes this. */
static unsigned spinning_weight_of(const struct rfs_op *op)
{
	switch (op->kind) {
	case RFS_OP_YIELD:
	case RFS_OP_SPIN_READ:
	case RFS_OP_SEM_VALUE:
		return RFS_SPINNING_LOOK;
	case RFS_OP_ACCESS:
		if (!(op->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE)))
			return RFS_SPINNING_LOOK;
		/* an exchange or a compare-and-exchange that fails */
		return op->access & RFS_ACCESS_ATOMIC ? RFS_SPINNING_TRY : 0;
	case RFS_OP_TRYLOCK:
	case RFS_OP_SEM_TRYWAIT:
	case RFS_OP_FUTEX_WAIT:
	case RFS_OP_SLEEP:
		return RFS_SPINNING_TRY;
	default:
		return 0;
	}
}

static bool spinning_is_repeated(struct rfs_spinning *spinning, int thread, const struct rfs_op *op)
{
	for (size_t i = 0; i < RFS_SPINNING_WINDOW; i++) {
		const struct rfs_spinning_op *recent = &spinning->recent[i];

		if (recent->kind == op->kind && recent->thread == thread && recent->site == op->site &&
		    recent->object == op->object)
			return true;
	}
	spinning->recent[spinning->next] = (struct rfs_spinning_op){thread, op->kind, op->site, op->object};
	spinning->next = (spinning->next + 1) % RFS_SPINNING_WINDOW;
	return false;
}

void rfs_spinning_note(struct rfs_spinning *spinning, int thread, const struct rfs_op *op)
{
	unsigned weight = spinning_weight_of(op);

	if (weight == 0 || !spinning_is_repeated(spinning, thread, op)) {
		spinning->sum = 0;
		spinning->slept = false;
	} else {
		spinning->sum += weight;
		spinning->slept |= op->kind == RFS_OP_SLEEP;
	}
}

void rfs_spinning_restart(struct rfs_spinning *spinning)
{
	*spinning = (struct rfs_spinning){0};
}

uint64_t rfs_spinning_next_limit(uint64_t limit)
{
	const uint64_t least = 2 * RFS_SPINNING_TRY;

	return limit / 2 >= least ? limit / 2 : limit;
}

uint64_t rfs_spinning_left(const struct rfs_spinning *spinning, uint64_t limit)
{
	if (spinning->sum >= limit)
		return 0;
	return (limit - spinning->sum + RFS_SPINNING_LOOK - 1) / RFS_SPINNING_LOOK;
}
