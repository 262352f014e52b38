/*
 * pos.c - partial order sampling (Yuan, Yang & Gu, Partial Order Aware Concurrency Sampling, CAV 2018, algorithm 2).
 *
 * The next operation of each thread has a random priority. The enabled operation with the highest priority is executed.
 * Operations of other threads that race with it then get new priorities, so an operation that lost early does not lose
 * every time.
 *
 * "Races with" means dependent (dependence.h). Yielded and sleeping threads are handled as candidates.h describes. Two
 * rules prevent a spinning thread from blocking the others forever. An operation that was not executed for `patience`
 * operations gets a new priority. A yield gives all other threads new priorities.
 *
 * Draws (part of the record format, rng.h). Each pick draws those of rfs_candidates_collect(), then a priority for each
 * candidate that has none, ascending, then those of rfs_candidates_choose().
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"
#include "policy/samplers/candidates.h"

/* Even if all other operations get new priorities again and again, an operation waits longer than this only with
 * probability 1/1000. So the limit rarely matters. */
#define DEFAULT_PATIENCE 1000

struct pending {
	bool drawn;
	uint64_t priority, since; /* valid if drawn; since: view->step when it was drawn */
};

struct pos {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct pending *pending;	  /* by thread number; about the thread's next operation */
	size_t capacity;
	uint64_t patience;
};

static int pos_init(void **out, const struct rfs_policy_args *args)
{
	struct pos *pos;
	uint64_t patience = DEFAULT_PATIENCE;
	const struct rfs_policy_option options[] = {{"patience", &patience, NULL}};
	int err = rfs_policy_options_parse(args->options, options, 1);

	if (err)
		return err;
	pos = rfs_policy_zalloc(1, sizeof(*pos));
	pos->patience = patience;
	rfs_rng_init(&pos->rng, args->seed);
	*out = pos;
	return 0;
}

static struct pending *of(struct pos *pos, int thread)
{
	pos->pending = rfs_policy_grow(pos->pending, &pos->capacity, (size_t)thread + 1, sizeof(*pos->pending));
	return &pos->pending[thread];
}

static const struct rfs_thread_view *highest(struct pos *pos, const struct rfs_view *view)
{
	const struct rfs_thread_view *best = NULL;

	for (size_t i = 0; i < pos->candidates.n; i++) {
		const struct rfs_thread_view *t = pos->candidates.threads[i];
		struct pending *pending = of(pos, t->thread);

		if (!pending->drawn || view->step - pending->since >= pos->patience)
			*pending = (struct pending){true, rfs_rng_next(&pos->rng), view->step};
		if (!best || pending->priority > of(pos, best->thread)->priority)
			best = t;
	}
	return best;
}

static int pos_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct pos *pos = opaque;
	const struct rfs_thread_view *t;

	rfs_candidates_collect(&pos->candidates, view, &pos->rng);
	t = highest(pos, view);
	if (!t)
		return -EINVAL;		   /* no thread can run: the caller must not call pick then */
	of(pos, t->thread)->drawn = false; /* its next operation needs a new priority */
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *other = &view->threads[i];

		if (other == t || rfs_candidate_class(other) == RFS_CANDIDATE_NONE)
			continue;
		if (t->next.kind == RFS_OP_YIELD || rfs_dependent(t->thread, &t->next, other->thread, &other->next))
			of(pos, other->thread)->drawn = false;
	}
	rfs_candidates_choose(view, t, &pos->rng, out);
	rfs_candidates_alone(view, out);
	return 0;
}

static void pos_fini(void *opaque)
{
	struct pos *pos = opaque;

	rfs_candidates_release(&pos->candidates);
	free(pos->pending);
	free(pos);
}

const struct rfs_policy_ops rfs_policy_pos = {
	.abi = RFS_POLICY_ABI,
	.name = "pos",
	.summary = "a random priority for each operation, redrawn after a race: many different orders (POS, CAV 2018)",
	.init = pos_init,
	.pick = pos_pick,
	.fini = pos_fini,
};
