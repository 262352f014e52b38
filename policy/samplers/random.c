/*
 * random.c - simple random scheduling (Sen, ASE 2007, figure 3). Each step draws one of the candidates, all with the
 * same probability.
 *
 * Options:
 *   stay=N  a thread that was drawn executes N operations on average before the next draw (default 1). Calls of locks
 *           within such a stay need no stop, so a long run with many locks takes a part of the time
 *
 * Draws (part of the record format, rng.h): those of rfs_candidates_collect(), the thread, and with a stay of more than
 * one operation its length.
 *
 * This is the smallest complete policy. Copy it to begin a new one.
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

#define STAY_MAX 1000000

struct random_state {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	uint64_t stay;
};

static int random_init(void **out, const struct rfs_policy_args *args)
{
	uint64_t stay = 1;
	const struct rfs_policy_option options[] = {{"stay", &stay, NULL}};
	struct random_state *state;
	int err = rfs_policy_options_parse(args->options, options, 1);

	if (!err && (stay < 1 || stay > STAY_MAX))
		err = -EINVAL;
	if (err)
		return err;
	state = rfs_policy_zalloc(1, sizeof(*state));
	state->stay = stay;
	rfs_rng_init(&state->rng, args->seed);
	*out = state;
	return 0;
}

static int random_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct random_state *state = opaque;
	size_t i;

	rfs_candidates_collect(&state->candidates, view, &state->rng);
	i = rfs_rng_below(&state->rng, state->candidates.n);
	rfs_candidates_choose(&state->candidates, view, state->candidates.threads[i], &state->rng, out);
	if (rfs_candidates_single(view)) {
		out->hint = UINT32_MAX;
		out->steady = true;
	} else if (state->stay > 1) {
		out->hint = (uint32_t)rfs_rng_below(&state->rng, 2 * state->stay - 1);
	}
	return 0;
}

static void random_fini(void *opaque)
{
	struct random_state *state = opaque;

	rfs_candidates_release(&state->candidates);
	free(state);
}

const struct rfs_policy_ops rfs_policy_random = {
	.abi = RFS_POLICY_ABI,
	.name = "random",
	.summary = "a random enabled thread at each step (simple random, ASE 2007)",
	.flags = RFS_POLICY_SINGLE,
	.init = random_init,
	.pick = random_pick,
	.fini = random_fini,
};
