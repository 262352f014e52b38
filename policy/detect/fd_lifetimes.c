#include "policy/detect/fd_lifetimes.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "policy/core/alloc.h"
#include "policy/core/hb.h"
#include "policy/core/vclock.h"
#include "policy/detect/atomicity-priv.h"
#include "policy/detect/atomicity.h"

/* Uses that are kept of one descriptor: a few places of each of its threads. The oldest one is replaced. */
#define USES_MAX 16
/* Descriptors that are kept at the same time. */
#define DESCRIPTORS_MAX (1u << 14)

struct use {
	int thread;
	rfs_site site;
	uint64_t own;	   /* the thread's own time */
	uint64_t sequence; /* number of the use in the run */
	size_t n_holds;
	struct atom_hold holds[HOLDS_MAX]; /* the outermost first */
};

struct rfs_fd_life {
	UT_hash_handle hh;
	uint64_t number;
	struct use uses[USES_MAX];
	size_t n_uses;
};

static struct rfs_fd_life *find(const struct rfs_fd_lifetimes *descriptors, uint64_t number)
{
	struct rfs_fd_life *descriptor;

	HASH_FIND(hh, descriptors->open, &number, sizeof(number), descriptor);
	return descriptor;
}

static void forget(struct rfs_fd_lifetimes *descriptors, struct rfs_fd_life *descriptor)
{
	HASH_DEL(descriptors->open, descriptor);
	free(descriptor);
}

/* The entry of this thread and place, or a new one. */
static struct use *use_of(struct rfs_fd_life *descriptor, int thread, rfs_site site)
{
	struct use *oldest = &descriptor->uses[0];

	for (size_t i = 0; i < descriptor->n_uses; i++) {
		struct use *use = &descriptor->uses[i];

		if (use->thread == thread && use->site == site)
			return use;
		if (use->sequence < oldest->sequence)
			oldest = use;
	}
	return descriptor->n_uses < USES_MAX ? &descriptor->uses[descriptor->n_uses++] : oldest;
}

static void add_use(struct rfs_atomicity_graph *graph, const struct rfs_fd_call *call)
{
	struct rfs_fd_lifetimes *descriptors = &graph->fds;
	struct rfs_fd_life *descriptor = find(descriptors, call->first);
	const struct atom_thread *thread =
		(size_t)call->thread < graph->n_threads ? &graph->threads[call->thread] : NULL;
	struct use *use;

	if (!descriptor && HASH_COUNT(descriptors->open) >= DESCRIPTORS_MAX) {
		graph->is_full = true;
		return;
	}
	if (!descriptor) {
		descriptor = rfs_policy_zalloc(1, sizeof(*descriptor));
		descriptor->number = call->first;
		HASH_ADD(hh, descriptors->open, number, sizeof(descriptor->number), descriptor);
	}
	use = use_of(descriptor, call->thread, call->site);
	*use = (struct use){
		.thread = call->thread,
		.site = call->site,
		.own = rfs_vclock_get(rfs_hb_clock(&graph->hb, call->thread), (uint32_t)call->thread),
		.sequence = ++descriptors->sequence,
	};
	if (!thread)
		return;
	use->n_holds = thread->n_holds < HOLDS_MAX ? thread->n_holds : HOLDS_MAX;
	if (use->n_holds)
		memcpy(use->holds, thread->holds, use->n_holds * sizeof(*use->holds));
}

/* The outermost lock of the use that keeps the closing thread out. NULL: there is none. */
static const struct atom_hold *common_lock(const struct rfs_atomicity_graph *graph, const struct use *use, int thread)
{
	const struct atom_thread *closer = (size_t)thread < graph->n_threads ? &graph->threads[thread] : NULL;

	for (size_t i = 0; closer && i < use->n_holds; i++)
		for (size_t k = 0; k < closer->n_holds; k++)
			if (closer->holds[k].lock == use->holds[i].lock &&
			    rfs_atom_exclude(&use->holds[i], &closer->holds[k]))
				return &use->holds[i];
	return NULL;
}

static void add_violation(struct rfs_atomicity_graph *graph, const struct rfs_fd_life *descriptor,
			  const struct use *use, const struct rfs_fd_call *end)
{
	const struct atom_hold *lock = common_lock(graph, use, end->thread);
	const rfs_site acquire = lock ? lock->site : 0;
	const struct atom_key key = {{use->site, acquire, end->site, 0, RFS_ORDER_USE_CLOSE}};
	const struct rfs_atomicity_violation violation = {
		.pattern = RFS_ORDER_USE_CLOSE,
		.first = {.site = use->site, .thread = use->thread},
		.remote = {.site = end->site, .thread = end->thread},
		.second = {.site = acquire, .thread = use->thread},
		.address = descriptor->number,
		.lock = lock ? lock->lock : 0,
		.distance = graph->fds.sequence - use->sequence,
	};

	rfs_atom_add(graph, &key, &violation);
}

/* Adds a violation for each use of another thread that nothing orders before the end. */
static void end_life(struct rfs_atomicity_graph *graph, struct rfs_fd_life *descriptor, const struct rfs_fd_call *end)
{
	const struct rfs_vclock *knows = rfs_hb_clock(&graph->hb, end->thread);

	for (size_t i = 0; i < descriptor->n_uses; i++) {
		const struct use *use = &descriptor->uses[i];

		if (use->thread != end->thread && use->site && end->site &&
		    rfs_vclock_get(knows, (uint32_t)use->thread) < use->own)
			add_violation(graph, descriptor, use, end);
	}
	forget(&graph->fds, descriptor);
}

void rfs_fd_lifetimes_call(struct rfs_atomicity_graph *graph, const struct rfs_fd_call *call)
{
	struct rfs_fd_life *descriptor, *next;

	if (!call->closes) {
		add_use(graph, call);
		return;
	}
	if (call->n == 1) {
		descriptor = find(&graph->fds, call->first);
		if (descriptor)
			end_life(graph, descriptor, call);
		return;
	}
	HASH_ITER (hh, graph->fds.open, descriptor, next)
		if (descriptor->number - call->first < call->n)
			end_life(graph, descriptor, call);
}

void rfs_fd_lifetimes_release(struct rfs_fd_lifetimes *descriptors)
{
	struct rfs_fd_life *descriptor, *next;

	HASH_ITER (hh, descriptors->open, descriptor, next)
		forget(descriptors, descriptor);
}
