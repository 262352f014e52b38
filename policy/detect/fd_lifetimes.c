/* fd_lifetimes.c - the lives of descriptors, by their numbers. life_uses.c keeps the uses. */
#include "policy/detect/fd_lifetimes.h"

#include <uthash.h>

#include "policy/detect/atom_run.h"
#include "policy/detect/atomicity_pattern.h"
#include "policy/detect/life_uses.h"

/* Descriptors that are kept at the same time. */
#define DESCRIPTORS_MAX (1u << 14)

static void fd_lifetimes_add_use(struct atom_run *run, struct rfs_life_uses *fds, const struct rfs_fd_call *call)
{
	struct rfs_life_use *use = rfs_life_uses_use(run, fds, DESCRIPTORS_MAX, call->first, call->thread, call->site);

	if (use)
		rfs_life_use_holds(run, use);
}

/* The outermost lock of the use that keeps the closing thread out. NULL: there is none. */
static const struct atom_hold *fd_lifetimes_common_lock(const struct atom_run *run, const struct rfs_life_use *use,
							int thread)
{
	const struct atom_thread *closer = (size_t)thread < run->n_threads ? &run->threads[thread] : NULL;

	for (size_t i = 0; closer && i < use->n_holds; i++)
		for (size_t k = 0; k < closer->n_holds; k++)
			if (closer->holds[k].lock == use->holds[i].lock &&
			    rfs_atom_exclude(&use->holds[i], &closer->holds[k]))
				return &use->holds[i];
	return NULL;
}

static void fd_lifetimes_add_violation(struct atom_run *run, const struct rfs_life_uses *lives,
				       const struct rfs_life *life, const struct rfs_life_use *use, const void *arg)
{
	const struct rfs_fd_call *end = arg;
	const struct atom_hold *lock = fd_lifetimes_common_lock(run, use, end->thread);
	const rfs_site acquire = lock ? lock->site : 0;
	const struct atom_key key = {{use->site, acquire, end->site, 0, RFS_ORDER_USE_CLOSE}};
	const struct rfs_atomicity_violation violation = {
		.pattern = RFS_ORDER_USE_CLOSE,
		.first = {.site = use->site, .thread = use->thread},
		.remote = {.site = end->site, .thread = end->thread},
		.second = {.site = acquire, .thread = use->thread},
		.address = life->number,
		.lock = lock ? lock->lock : 0,
		.distance = lives->sequence - use->sequence,
	};

	rfs_atom_add(run, &key, &violation);
}

static void fd_lifetimes_end_life(struct atom_run *run, struct rfs_life_uses *fds, struct rfs_life *life,
				  const struct rfs_fd_call *end)
{
	rfs_life_uses_end(run, fds, life, end->thread, end->site, fd_lifetimes_add_violation, end);
}

void rfs_fd_lifetimes_call(struct atom_run *run, struct rfs_life_uses *fds, const struct rfs_fd_call *call)
{
	struct rfs_life *life, *next;

	if (!call->closes) {
		fd_lifetimes_add_use(run, fds, call);
		return;
	}
	if (call->n == 1) {
		life = rfs_life_uses_find(fds, call->first);
		if (life)
			fd_lifetimes_end_life(run, fds, life, call);
		return;
	}
	HASH_ITER (hh, fds->list, life, next)
		if (life->number - call->first < call->n)
			fd_lifetimes_end_life(run, fds, life, call);
}
