/* rereads.c - a ring of the last accesses at the pair, with which the next one of a thread is compared. */
#include "policy/choice/rereads.h"

#include "policy/core/op.h"
#include "policy/policy.h"

void rfs_rereads_note(struct rfs_rereads *rereads, int thread, const struct rfs_op *op)
{
	if (!rfs_op_is_access(op->kind) || !op->statements)
		return;
	rereads->kept[rereads->next].thread = thread;
	rereads->kept[rereads->next].address = op->object;
	rereads->kept[rereads->next].size = op->size;
	rereads->next = (rereads->next + 1) % RFS_REREADS_KEPT;
}

bool rfs_rereads_is_back(const struct rfs_rereads *rereads, const struct rfs_thread_view *thread)
{
	const rfs_addr address = thread->next.object;

	for (size_t i = 0; i < RFS_REREADS_KEPT; i++)
		if (rereads->kept[i].size && rereads->kept[i].thread == thread->thread &&
		    (address - rereads->kept[i].address < rereads->kept[i].size ||
		     rereads->kept[i].address - address < thread->next.size))
			return true;
	return false;
}
