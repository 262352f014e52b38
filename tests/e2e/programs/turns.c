/*
 * The policy of tests/plugin/quantum.c. With -DHINTS it also says in advance how long a turn is. It counts its picks,
 * and reports the count under the key "livelocks", which it does not need otherwise.
 */
#define rfs_policy quantum_policy
#include "tests/plugin/quantum.c"
#undef rfs_policy

struct turns {
	void *quantum;
	uint64_t picks;
};

static int turns_init(void **state, const struct rfs_policy_args *args)
{
	struct turns *turns = calloc(1, sizeof(*turns));

	*state = turns;
	return turns ? quantum_policy.init(&turns->quantum, args) : -ENOMEM;
}

static int turns_pick(void *state, const struct rfs_view *view, struct rfs_choice *out)
{
	struct turns *turns = state;
	int error = quantum_policy.pick(turns->quantum, view, out);
#ifdef HINTS
	struct quantum *quantum = turns->quantum;

	out->hint = (uint32_t)quantum->left;
	quantum->left = 0;
#endif
	turns->picks++;
	return error;
}

static void turns_stats(void *state, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	emit(arg, "livelocks", ((struct turns *)state)->picks);
}

static void turns_fini(void *state)
{
	quantum_policy.fini(((struct turns *)state)->quantum);
	free(state);
}

const struct rfs_policy_ops rfs_policy = {
	.abi = RFS_POLICY_ABI,
	.name = "turns",
	.summary = "threads take turns",
	.init = turns_init,
	.pick = turns_pick,
	.stats = turns_stats,
	.fini = turns_fini,
};
