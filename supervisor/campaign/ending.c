#include "supervisor/campaign/ending.h"

#include <inttypes.h>
#include <stddef.h>

#include "supervisor/base/clock.h"
#include "supervisor/campaign/campaign-priv.h"
#include "supervisor/campaign/finding.h"
#include "supervisor/campaign/pair_list.h"
#include "supervisor/campaign/saved_run.h"
#include "supervisor/pool/job.h"

void rfs_ending_until(struct rfs_campaign *c, double seconds)
{
	c->ending.deadline = seconds > 0 ? c->started + seconds : 0;
	rfs_pool_until(c->pool, c->ending.deadline);
}

bool rfs_ending_over(const struct rfs_campaign *c)
{
	return c->end != RFS_POOL_DONE || (c->ending.deadline > 0 && rfs_clock() >= c->ending.deadline);
}

/* How many saved runs were not replayed. */
static uint64_t replays(const struct rfs_campaign *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->findings.n; i++)
		n += !c->findings.list[i].borrowed && c->findings.list[i].first->left_out;
	for (size_t i = 0; i < c->pairs.n; i++) {
		const struct rfs_pair *pair = c->pairs.list[i];

		n += pair->has_created && pair->created.left_out;
		for (size_t k = 0; k < pair->n_failures; k++)
			n += pair->failures[k].first.left_out;
	}
	return n;
}

bool rfs_ending_was_cut(const struct rfs_campaign *c)
{
	return replays(c) + c->ending.tests + c->ending.stacks + c->ending.stories > 0;
}

static void ending_put(FILE *out, bool *first, uint64_t n, const char *one, const char *many)
{
	if (!n)
		return;
	fprintf(out, "%s%" PRIu64 " %s", *first ? "" : ", ", n, n == 1 ? one : many);
	*first = false;
}

void rfs_ending_put(const struct rfs_campaign *c, FILE *out)
{
	bool first = true;

	ending_put(out, &first, replays(c), "replay", "replays");
	ending_put(out, &first, c->ending.tests, "run that tests a failure", "runs that test failures");
	ending_put(out, &first, c->ending.stacks, "run for a stack", "runs for stacks");
	ending_put(out, &first, c->ending.stories, "simplification", "simplifications");
}
