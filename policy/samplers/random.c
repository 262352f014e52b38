/*
 * random.c - simple random scheduling (Sen, ASE 2007, figure 3). Each step draws one of the candidates, all with the
 * same probability.
 *
 * This is the smallest complete policy. Copy it to begin a new one.
 */
#include "policy/builtin.h"

#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

struct random_state {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
};

static int random_init(void **out, const struct rfs_policy_args *args)
{
	struct random_state *state;
	int err = rfs_policy_options_parse(args->options, NULL, 0);

	if (err)
		return err;
	state = rfs_policy_zalloc(1, sizeof(*state));
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
