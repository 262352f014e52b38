/* leave_pair.c - a list of threads and of how many accesses each may still make. */
#include "policy/choice/leave_pair.h"

#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/core/alloc.h"
#include "policy/core/op.h"

struct rfs_leave_pair_turn {
	int thread;
	uint64_t most;
};

bool rfs_is_at_statement(const struct rfs_thread_view *thread)
{
	return rfs_op_is_access(thread->next.kind) && thread->next.statements;
}

void rfs_leave_pair_add(struct rfs_leave_pair *list, int thread, uint64_t most)
{
	list->turns = rfs_policy_grow(list->turns, &list->capacity, list->n + 1, sizeof(*list->turns));
	list->turns[list->n++] = (struct rfs_leave_pair_turn){thread, most};
}

/* A thread that has yielded before its statement can run too: a loop that waits may end at the statement. */
static bool can_run(const struct rfs_thread_view *thread)
{
	const enum rfs_candidate_class class = rfs_candidate_class(thread);

	return class == RFS_CANDIDATE_AWAKE || class == RFS_CANDIDATE_YIELDED;
}

/* The thread, if it is at a statement and can run. */
static const struct rfs_thread_view *find_at_statement(const struct rfs_view *view, int thread)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];

		if (t->thread == thread)
			return rfs_is_at_statement(t) && can_run(t) ? t : NULL;
	}
	return NULL;
}

const struct rfs_thread_view *rfs_leave_pair_next(struct rfs_leave_pair *list, const struct rfs_view *view, int current,
						  uint64_t most)
{
	const struct rfs_thread_view *t;

	for (; list->next < list->n; list->next++) {
		struct rfs_leave_pair_turn *turn = &list->turns[list->next];

		t = turn->most ? find_at_statement(view, turn->thread) : NULL;
		if (t) {
			turn->most--;
			return t;
		}
	}
	t = list->stayed < most ? find_at_statement(view, current) : NULL;
	list->stayed = t ? list->stayed + 1 : 0;
	return t;
}

void rfs_leave_pair_release(struct rfs_leave_pair *list)
{
	free(list->turns);
}
