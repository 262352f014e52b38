/* cycles.c - the list of predicted deadlocks, the specs of their runs, and what these runs have created. */
#include "supervisor/campaign/predicted/cycles.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/finding.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/symbols/place.h"

/* How many runs of a predicted deadlock keep stacks. In the first run, a thread may not reach its request. */
#define DESCRIBED 8

static bool cycles_is_known(const struct rfs_cycle_list *cycles, const struct rfs_cycle *cycle)
{
	for (size_t i = 0; i < cycles->n; i++)
		if (rfs_cycle_compare(&cycles->list[i]->cycle, cycle) == 0)
			return true;
	return false;
}

/* Code that the target made at run time has no name that is the same in the next run. */
static bool cycles_is_named(const struct rfs_cycle *cycle)
{
	for (size_t i = 0; i < cycle->n; i++) {
		const struct rfs_cycle_part *part = &cycle->parts[i];

		if (!part->wanted.site.module || (part->held.object.address && !part->held.site.module))
			return false;
	}
	return true;
}

void rfs_cycle_list_add(struct rfs_cycle_list *cycles, struct rfs_cycle *cycle)
{
	struct rfs_predicted_cycle *added = xcalloc(1, sizeof(*added));

	added->cycle = *cycle;
	*cycle = (struct rfs_cycle){0};
	cycles->list = xreallocarray(cycles->list, cycles->n + 1, sizeof(*cycles->list));
	cycles->list[cycles->n++] = added;
}

void rfs_cycle_list_join(struct rfs_cycle_list *cycles, struct rfs_run_result *result)
{
	cycles->cut |= result->cycles_cut;
	for (size_t i = 0; i < result->cycles.n; i++) {
		struct rfs_cycle *cycle = &result->cycles.list[i];

		if (!cycles_is_named(cycle) || cycles_is_known(cycles, cycle))
			continue;
		rfs_cycle_rotate(cycle);
		rfs_cycle_list_add(cycles, cycle);
	}
}

static int cycles_compare_predicted(const void *a, const void *b)
{
	const struct rfs_predicted_cycle *const *x = a, *const *y = b;

	return rfs_cycle_compare(&(*x)->cycle, &(*y)->cycle);
}

void rfs_cycle_list_settle(struct rfs_cycle_list *cycles)
{
	if (cycles->n > cycles->n_settled)
		qsort(cycles->list + cycles->n_settled, cycles->n - cycles->n_settled, sizeof(*cycles->list),
		      cycles_compare_predicted);
	for (; cycles->n_settled < cycles->n; cycles->n_settled++)
		cycles->list[cycles->n_settled]->label = xasprintf("deadlock-%zu", cycles->n_settled + 1);
}

bool rfs_cycle_is_open(const struct rfs_predicted_cycle *cycle)
{
	return !cycle->cycle.one_thread && !cycle->created && !cycle->suppressed;
}

void rfs_cycle_make(const struct rfs_campaign *c, const struct rfs_predicted_cycle *cycle, uint64_t i,
		    struct rfs_execution *out)
{
	rfs_campaign_execution(c, cycle->label, i, rfs_policy_find("deadlock"), RFS_POINTS_SYNC, out);
	out->spec.plan.cycle = &cycle->cycle;
	/* stacks take time, so only the first runs describe the threads at their requests */
	out->spec.wanted.stood = i < DESCRIBED;
}

static bool cycles_is_on_stack(const struct rfs_place *site, const struct rfs_waiter *waiter)
{
	for (size_t i = 0; i < waiter->n_stack; i++)
		if (rfs_place_is_same(&waiter->stack[i], site))
			return true;
	return false;
}

/* Whether a different thread waits at each request of the cycle. */
static bool all_wait(const struct rfs_cycle *cycle, const struct rfs_waiters *waiters)
{
	for (size_t i = 0; i < cycle->n; i++) {
		const struct rfs_place *site = &cycle->parts[i].wanted.site;
		size_t needed = 0, there = 0;

		for (size_t k = 0; k < cycle->n; k++)
			needed += rfs_place_is_same(&cycle->parts[k].wanted.site, site);
		for (size_t k = 0; k < waiters->n; k++)
			there += cycles_is_on_stack(site, &waiters->list[k]);
		if (there < needed)
			return false;
	}
	return true;
}

static const struct rfs_waiter *cycles_find_waiter(const struct rfs_waiters *waiters, int thread)
{
	for (size_t i = 0; i < waiters->n; i++)
		if (waiters->list[i].thread == thread)
			return &waiters->list[i];
	return NULL;
}

/* Whether some threads wait for each other in a circle. */
static bool is_circle(const struct rfs_waiters *waiters)
{
	for (size_t i = 0; i < waiters->n; i++) {
		const struct rfs_waiter *waiter = &waiters->list[i];

		for (size_t steps = 0; waiter && steps < waiters->n; steps++) {
			waiter = cycles_find_waiter(waiters, waiter->for_thread);
			if (waiter == &waiters->list[i])
				return true;
		}
	}
	return false;
}

/* Whether all threads of the cycle were at their requests at the same time. */
static bool was_complete(const struct rfs_run_result *result)
{
	return rfs_run_stats_value(&result->policy_stats, "cycles") > 0;
}

/* A thread that waits for a word lock waits elsewhere: it spins, or it sleeps in a futex. The run may then end as a
 * hang. */
static bool is_created(const struct rfs_cycle *cycle, const struct rfs_run_result *result)
{
	const struct rfs_waiters *waiters = result->end == RFS_END_HANG ? &result->threads : &result->deadlock;

	if (result->end != RFS_END_DEADLOCK && result->end != RFS_END_HANG)
		return false;
	return all_wait(cycle, waiters) || (was_complete(result) && is_circle(waiters));
}

bool rfs_cycle_done(struct rfs_campaign *c, struct rfs_predicted_cycle *cycle, const struct rfs_execution *execution,
		    struct rfs_run_result *result)
{
	const bool failed = rfs_campaign_failed(c, result), created = is_created(&cycle->cycle, result);
	const size_t known = c->findings->n;
	bool saved;

	rfs_campaign_note(c, execution, result);
	rfs_note("run %s: %s%s", execution->name, rfs_run_end_name(result->end),
		 created ? ", the predicted deadlock" : "");
	if (result->cycles.n)
		rfs_cycle_take_stacks(&cycle->cycle, &result->cycles.list[0]);
	cycle->timeouts += result->end == RFS_END_TIMEOUT;
	cycle->runs += rfs_run_conclusive(result);
	cycle->created += created;
	saved = rfs_finding_note(c, "confirm", execution, result);
	cycle->arm.news += c->findings->n > known;
	rfs_campaign_progress(c, failed);
	return saved;
}

void rfs_cycle_list_release(struct rfs_cycle_list *cycles)
{
	for (size_t i = 0; i < cycles->n; i++) {
		rfs_cycle_release(&cycles->list[i]->cycle);
		free(cycles->list[i]->label);
		free(cycles->list[i]);
	}
	free(cycles->list);
	*cycles = (struct rfs_cycle_list){0};
}
