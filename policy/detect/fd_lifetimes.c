/* fd_lifetimes.c - the lives of descriptors, by their numbers. life_uses.c keeps the uses. */
#include "policy/detect/fd_lifetimes.h"

#include <uthash.h>

#include "policy/core/hb.h"
#include "policy/core/vclock.h"
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

/* One of two closes of a number. */
struct closing {
	int thread;
	rfs_site site;
	const struct atom_hold *holds;
	size_t n_holds;
};

/* The outermost lock of the late close that keeps out the other one. NULL: there is none. */
static const struct atom_hold *fd_lifetimes_late_lock(const struct closing *late, const struct closing *other)
{
	for (size_t i = 0; i < late->n_holds; i++)
		for (size_t k = 0; k < other->n_holds; k++)
			if (late->holds[i].lock == other->holds[k].lock &&
			    rfs_atom_exclude(&late->holds[i], &other->holds[k]))
				return &late->holds[i];
	return NULL;
}

static void fd_lifetimes_add_late(struct atom_run *run, uint64_t number, uint64_t distance, const struct closing *late,
				  const struct closing *other)
{
	const struct atom_hold *lock = fd_lifetimes_late_lock(late, other);
	const rfs_site acquire = lock ? lock->site : 0;
	const struct atom_key key = {{late->site, acquire, other->site, 0, RFS_ORDER_USE_CLOSE}};
	const struct rfs_atomicity_violation violation = {
		.pattern = RFS_ORDER_USE_CLOSE,
		.first = {.site = late->site, .thread = late->thread},
		.remote = {.site = other->site, .thread = other->thread},
		.second = {.site = acquire, .thread = late->thread},
		.address = number,
		.lock = lock ? lock->lock : 0,
		.distance = distance,
	};

	rfs_atom_add(run, &key, &violation);
}

/* The number is not open. If another thread has closed it, and nothing orders the two closes, either may come late. */
static void fd_lifetimes_late_close(struct atom_run *run, const struct rfs_fd_lives *fds,
				    const struct rfs_fd_call *call)
{
	const struct rfs_life *life = rfs_life_uses_find(&fds->closed, call->first);
	const struct rfs_life_use *before = life ? &life->uses[0] : NULL;
	const struct atom_thread *thread = (size_t)call->thread < run->n_threads ? &run->threads[call->thread] : NULL;
	struct closing late, earlier;
	uint64_t distance;

	if (!before || before->thread == call->thread || !before->site || !call->site)
		return;
	late = (struct closing){call->thread, call->site, thread ? thread->holds : NULL, thread ? thread->n_holds : 0};
	earlier = (struct closing){before->thread, before->site, before->holds, before->n_holds};
	distance = fds->closed.sequence - before->sequence;
	fd_lifetimes_add_late(run, call->first, distance, &late, &earlier);
	if (rfs_vclock_get(rfs_hb_clock(&run->hb, call->thread), (uint32_t)before->thread) < before->own)
		fd_lifetimes_add_late(run, call->first, distance, &earlier, &late);
}

/* Keeps the close as the last one of its number. */
static void fd_lifetimes_note_close(struct atom_run *run, struct rfs_life_uses *closed, const struct rfs_fd_call *call)
{
	struct rfs_life *before = rfs_life_uses_find(closed, call->first);
	struct rfs_life_use *close;

	if (before)
		rfs_life_uses_forget(closed, before);
	close = rfs_life_uses_use(run, closed, DESCRIPTORS_MAX, call->first, call->thread, call->site);
	if (close)
		rfs_life_use_holds(run, close);
}

void rfs_fd_lifetimes_call(struct atom_run *run, struct rfs_fd_lives *fds, const struct rfs_fd_call *call)
{
	struct rfs_life *life, *next;

	if (!call->closes) {
		fd_lifetimes_add_use(run, &fds->open, call);
		return;
	}
	if (call->n == 1) {
		life = rfs_life_uses_find(&fds->open, call->first);
		if (life)
			fd_lifetimes_end_life(run, &fds->open, life, call);
		if (call->is_late)
			fd_lifetimes_late_close(run, fds, call);
		else
			fd_lifetimes_note_close(run, &fds->closed, call);
		return;
	}
	HASH_ITER (hh, fds->open.list, life, next)
		if (life->number - call->first < call->n)
			fd_lifetimes_end_life(run, &fds->open, life, call);
}

void rfs_fd_lifetimes_release(struct rfs_fd_lives *fds)
{
	rfs_life_uses_release(&fds->open);
	rfs_life_uses_release(&fds->closed);
}
