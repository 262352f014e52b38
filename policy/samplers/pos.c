/*
 * pos.c - partial order sampling (Yuan, Yang & Gu, Partial Order Aware Concurrency Sampling, CAV 2018, algorithm 2).
 *
 * The next operation of each thread has a random priority. The enabled operation with the highest priority is executed.
 * Operations of other threads that race with it then get new priorities, so an operation that lost early does not lose
 * every time.
 *
 * "Races with" means dependent (dependence.h). Yielded and sleeping threads are handled as candidates.h describes.
 * priorities.h has the rules that keep a spinning thread from blocking the others.
 *
 * Draws (part of the record format, rng.h). Each pick draws those of rfs_candidates_collect(), then a priority for each
 * candidate that has none, ascending, then those of rfs_candidates_choose().
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/choice/priorities.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

struct pos {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct rfs_priorities priorities;
};

static int pos_init(void **out, const struct rfs_policy_args *args)
{
	struct pos *pos;
	uint64_t patience = RFS_DEFAULT_PATIENCE;
	const struct rfs_policy_option options[] = {{"patience", &patience, NULL}};
	int err = rfs_policy_options_parse(args->options, options, 1);

	if (err)
		return err;
	pos = rfs_policy_zalloc(1, sizeof(*pos));
	pos->priorities.patience = patience;
	rfs_rng_init(&pos->rng, args->seed);
	*out = pos;
	return 0;
}

static int pos_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct pos *pos = opaque;
	const struct rfs_thread_view *t;

	rfs_candidates_collect(&pos->candidates, view, &pos->rng);
	t = rfs_priorities_highest(&pos->priorities, view, &pos->candidates, &pos->rng);
	if (!t)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	rfs_priorities_executes(&pos->priorities, view, t);
	rfs_candidates_choose(&pos->candidates, view, t, &pos->rng, out);
	rfs_candidates_alone(view, out);
	return 0;
}

static void pos_fini(void *opaque)
{
	struct pos *pos = opaque;

	rfs_candidates_release(&pos->candidates);
	rfs_priorities_release(&pos->priorities);
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
