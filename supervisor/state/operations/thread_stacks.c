/* thread_stacks.c - tells the detector where each stack is, and marks operations on the stack of another thread. */
#include "supervisor/state/operations/thread_stacks.h"

#include "policy/detect/stack_lifetimes.h"
#include "policy/policy.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/thread.h"

/* The site that names the end of the thread. */
static rfs_site end_site(const struct rfs_run *run, const struct rfs_thread *thread)
{
	return thread->start.routine ? rfs_site_of(run, thread->start.routine + 1) : 0;
}

void rfs_thread_stack_begins(struct rfs_run *run, const struct rfs_thread *thread)
{
	if (run->atomicity && thread->start.own_stack)
		rfs_stream_stack(run->stream, &(struct rfs_thread_stack){
						      .thread = thread->number,
						      .site = end_site(run, thread),
						      .low = thread->stack_low,
						      .high = thread->stack_high,
					      });
}

void rfs_thread_stack_leaves(const struct rfs_run *run, const struct rfs_thread *thread, struct rfs_op *op)
{
	const rfs_site site = thread->start.own_stack ? end_site(run, thread) : 0;

	if (!site)
		return;
	op->site = site;
	op->object = thread->stack_low;
	op->size = thread->stack_high - thread->stack_low;
}

bool rfs_thread_stack_of_another(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr address)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && t->start.own_stack && t->state != RFS_STATE_ENDED &&
		    rfs_thread_has_stack_at(t, address))
			return true;
	}
	return false;
}
