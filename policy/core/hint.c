/*
 * hint.c - a hint ends if the thread cannot run as before, or if there is something to choose, such as a timeout or a
 * waiter.
 */
#include "policy/core/hint.h"

#include "policy/policy.h"

/* Whether the operation may wake one of several waiting threads, so that the policy must choose which. */
static bool has_waiters(const struct rfs_op *op, bool waited)
{
	return (op->kind == RFS_OP_COND_SIGNAL && waited) || op->kind == RFS_OP_FUTEX_WAKE;
}

bool rfs_hint_holds(const struct rfs_hint *hint, const struct rfs_thread_view *thread, bool waited)
{
	const unsigned flags = thread->flags;

	if (!hint->left || !(flags & RFS_THREAD_ENABLED) || (flags & (RFS_THREAD_SLEEPS | RFS_THREAD_YIELDED)) ||
	    (flags & (RFS_THREAD_CAN_TIME_OUT | RFS_THREAD_READY)) == RFS_THREAD_CAN_TIME_OUT)
		return false;
	return !hint->steady ||
	       !((flags & RFS_THREAD_CAN_TIME_OUT) || thread->next.statements || has_waiters(&thread->next, waited));
}
