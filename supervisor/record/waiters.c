/* waiters.c - frees waiters, and says whether one waits for another thread of the list. */
#include "supervisor/record/waiters.h"

#include <stdlib.h>

void rfs_waiters_release(struct rfs_waiters *waiters)
{
	for (size_t i = 0; i < waiters->n; i++) {
		rfs_object_release(&waiters->list[i].waits_for);
		rfs_objects_free(waiters->list[i].holds, waiters->list[i].n_holds);
		for (size_t k = 0; k < waiters->list[i].n_acquired; k++)
			rfs_places_free(waiters->list[i].acquired[k].stack, waiters->list[i].acquired[k].n_stack);
		free(waiters->list[i].acquired);
		rfs_places_free(waiters->list[i].stack, waiters->list[i].n_stack);
	}
	free(waiters->list);
}

/* The thread that this one waits for; NULL: it is not in the list. */
static const struct rfs_waiter *next_of(const struct rfs_waiters *waiters, const struct rfs_waiter *waiter)
{
	for (size_t i = 0; i < waiters->n; i++)
		if (waiters->list[i].thread == waiter->for_thread)
			return &waiters->list[i];
	return NULL;
}

bool rfs_waits_for_another(const struct rfs_waiters *waiters, const struct rfs_waiter *waiter)
{
	return next_of(waiters, waiter) != NULL;
}

enum rfs_waits_cycle rfs_waits_cycle(const struct rfs_waiters *waiters, const struct rfs_waiter *waiter)
{
	const struct rfs_waiter *at = waiter;

	for (size_t i = 0; i < waiters->n && at; i++) {
		at = next_of(waiters, at);
		if (at == waiter)
			return RFS_WAITS_IN;
	}
	/* as many steps as there are threads always end in a cycle, or nowhere */
	return at ? RFS_WAITS_OUTSIDE : RFS_WAITS_NONE;
}
