/* ending.c - sets the deadline of a step, which ends the runs of the pool too, and says whether it has passed. */
#include "supervisor/campaign/executions/ending.h"

#include "supervisor/base/clock.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/pool/job.h"

void rfs_ending_until(struct rfs_campaign *c, double seconds)
{
	c->ending->deadline = seconds > 0 ? c->started + seconds : 0;
	rfs_pool_until(c->pool, c->ending->deadline);
}

bool rfs_ending_over(const struct rfs_campaign *c)
{
	return c->end != RFS_POOL_DONE || (c->ending->deadline > 0 && rfs_clock() >= c->ending->deadline);
}
