/* Policies with one error each: -DWRONG_ABI, NO_TABLE, NO_PICK, PICKS_NOBODY, PICKS_DISABLED or GIVES_UP. */
#include <errno.h>

#include "policy/policy.h"

static int init(void **state, const struct rfs_policy_args *args)
{
	(void)args;
	*state = (void *)1;
	return 0;
}

static int pick(void *state, const struct rfs_view *view, struct rfs_choice *out)
{
	(void)state;
#ifdef GIVES_UP
	if (view->step == 3)
		return -EDOM;
#endif
	for (size_t i = 0; i < view->n_threads; i++) {
		bool enabled = view->threads[i].flags & RFS_THREAD_ENABLED;

		if (enabled && out->thread < 0)
			out->thread = view->threads[i].thread;
#ifdef PICKS_DISABLED
		if (!enabled) {
			out->thread = view->threads[i].thread;
			break;
		}
#endif
	}
#ifdef PICKS_NOBODY
	out->thread = 77;
#endif
	return 0;
}

#ifdef NO_TABLE
#define rfs_policy other_name
#endif
extern const struct rfs_policy_ops rfs_policy;
const struct rfs_policy_ops rfs_policy = {
#ifdef WRONG_ABI
	.abi = 4711,
#else
	.abi = RFS_POLICY_ABI,
#endif
	.name = "bad",
	.summary = "is wrong",
	.init = init,
#ifndef NO_PICK
	.pick = pick,
#endif
};
