/*
 * executions.c - the one way from a phase to the pool and back: specs before, the tally and findings after. It does
 * not decide which runs are made.
 */
#include "supervisor/campaign/executions/executions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/decisions.h"
#include "supervisor/campaign/decisions/limits.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/atomic_moves.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/module_reading.h"
#include "supervisor/campaign/executions/progress.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/executions/whereabouts.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/symbols/symbolize.h"

char *rfs_campaign_record(const struct rfs_campaign *c, const char *name, const char *suffix)
{
	return xasprintf("%s/%s.%s", c->records, name, suffix);
}

char *rfs_campaign_output(const struct rfs_campaign *c, const char *name, const char *suffix)
{
	return xasprintf("%s/%s.%s", c->runs, name, suffix);
}

/* Campaigns give all samplers the same seeds, so the order of events depends on the name of the policy. */
static uint64_t event_order_of(const char *policy)
{
	uint32_t order = 2166136261;

	for (; *policy; policy++)
		order = (order ^ (unsigned char)*policy) * 16777619;
	return order;
}

void rfs_campaign_execution(const struct rfs_campaign *c, const char *label, uint64_t i,
			    const struct rfs_policy_ops *policy, enum rfs_points points, struct rfs_execution *out)
{
	const struct rfs_options *options = c->options;
	uint64_t seed = options->seed + i;

	snprintf(out->name, sizeof(out->name), "%s-seed-%" PRIu64, label, seed);
	out->spec = options->run;
	out->spec.process.path = c->settings->program->path;
	out->spec.process.argv = c->settings->program->argv;
	out->spec.process.envp = c->settings->envp;
	out->spec.seed = seed;
	out->spec.policy = policy;
	out->spec.points = options->points_given ? options->run.points : points;
	out->spec.limits.cpu = c->limits->cpu_limit;
	out->spec.limits.steps = c->limits->step_limit;
	out->spec.limits.spin_free = c->limits->spin_free;
	out->spec.stops_per_run = options->stops_given ? options->run.stops_per_run : c->limits->stops_per_run;
	out->spec.job.fresh_root = c->fresh;
	out->spec.fault_points = c->fault_points;
	out->spec.wanted.processes = !options->first_process && !options->run.follow;
	out->spec.event_order = options->run.events && policy ? event_order_of(policy->name) : 0;
	out->two_passes = c->two_passes;
	rfs_atomic_moves_give(c->moves, &out->spec.sites);
	out->spec.unwatched = c->unwatched;
	if (c->run_seconds > 0 && c->run_seconds < out->spec.limits.timeout)
		out->spec.limits.timeout = c->run_seconds;
}

const struct rfs_detector_ops *rfs_campaign_detector(const struct rfs_campaign *c)
{
	/* in the sampling mode, --detector applies to the sampling runs only */
	bool given = c->options->detector && c->options->mode != RFS_MODE_SAMPLE;

	return rfs_detector_find(given ? c->options->detector : "hybrid");
}

bool rfs_campaign_one_schedule(const struct rfs_campaign *c)
{
	return c->tally->max_threads == 1 && !c->options->run.events;
}

size_t rfs_campaign_phase(struct rfs_campaign *c, const char *name, uint64_t planned)
{
	if (c->phases->n == RFS_PHASES_MAX)
		RFS_BUG("no room for phase %s", name);
	c->phases->now = c->phases->n++;
	c->phases->list[c->phases->now] = (struct rfs_phase){.name = name, .planned = planned};
	rfs_note("phase %s: %" PRIu64 " runs planned", name, planned);
	return c->phases->now;
}

void rfs_campaign_note_faults(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	if (result->counts.fault_points > c->fault_points_seen)
		c->fault_points_seen = result->counts.fault_points;
}

/* Keeps where the threads of the first run without an end were. */
static void note_whereabouts(struct rfs_campaign *c, const struct rfs_execution *execution,
			     const struct rfs_run_result *result)
{
	char *places;

	if (c->phases->stuck)
		return;
	places = rfs_whereabouts(c->symbols, &result->threads);
	if (!places)
		return;
	c->phases->stuck = xasprintf("run %s had %s", execution->name, places);
	rfs_note("at the end, %s", c->phases->stuck);
	free(places);
}

static void executions_note(struct rfs_campaign *c, const struct rfs_execution *execution,
			    const struct rfs_run_result *result)
{
	rfs_tally_add(c->tally, execution, result);
	rfs_limits_note(c->limits, result);
}

void rfs_campaign_note(struct rfs_campaign *c, const struct rfs_execution *execution,
		       const struct rfs_run_result *result)
{
	struct rfs_phase *phase = &c->phases->list[c->phases->now];
	bool cut = execution->spec.limits.timeout < c->options->run.limits.timeout;

	phase->runs++;
	rfs_campaign_note_faults(c, result);
	if (execution->spec.detector) {
		rfs_note("run %s: predicted %zu pairs, checksum %016" PRIx64, execution->name, result->prediction.n,
			 rfs_prediction_checksum(&result->prediction));
		c->predicting.runs++;
		c->predicting.accesses += result->counts.accesses;
		c->predicting.steps += result->counts.steps;
		c->predicting.differed += result->differed;
		c->predicting.timeouts += result->end == RFS_END_TIMEOUT;
	}
	if (result->end == RFS_END_TIMEOUT) {
		phase->cut += cut;
		phase->timeouts += !cut;
		rfs_note("run %s %s after %g s", execution->name, cut ? "was cut short" : "timed out",
			 execution->spec.limits.timeout);
		note_whereabouts(c, execution, result);
	}
	executions_note(c, execution, result);
}

bool rfs_campaign_failed(struct rfs_campaign *c, const struct rfs_run_result *result)
{
	struct rfs_signature signature;

	if (!rfs_run_failed(result, &signature) || rfs_baseline_always(c->baseline, &signature))
		return false;
	rfs_campaign_found(c);
	return true;
}

void rfs_campaign_found(struct rfs_campaign *c)
{
	c->enough |= c->options->until_failure && c->options->mode != RFS_MODE_SAMPLE;
}

void rfs_campaign_progress(struct rfs_campaign *c, bool failed)
{
	double now = rfs_clock();

	c->progress->done++;
	c->progress->failures += failed;
	c->progress->budget_left = c->deadline > now ? c->deadline - now : 0;
	c->progress->findings = *c->n_findings + c->n_confirmed;
	rfs_progress_update(c->progress);
}

/*
 * Under a budget, runs may be cut short. Until then, one execution of a run sees more than two executions in the
 * same time. A first pass that reaches the time limit must be made again.
 */
void rfs_campaign_choose_passes(struct rfs_campaign *c)
{
	c->two_passes =
		!c->options->no_two_pass && c->options->budget <= 0 && !c->predicting.differed &&
		!c->predicting.timeouts &&
		rfs_decide_two_passes(*c->n_pairs, c->predicting.runs, c->predicting.accesses, c->predicting.steps);
}

enum rfs_pool_end rfs_campaign_batch(struct rfs_campaign *c, const struct rfs_batch *batch)
{
	struct rfs_batch until = *batch;
	double started = rfs_clock();
	enum rfs_pool_end end;

	if (c->end != RFS_POOL_DONE)
		return c->end;
	if (c->enough)
		return RFS_POOL_ENOUGH;
	rfs_campaign_choose_passes(c);
	rfs_module_reading_modules(c);
	c->unwatched = rfs_module_reading_unwatched(c, c->program_only);
	until.enough = &c->enough;
	end = rfs_pool_run(c->pool, &until, c->why, sizeof(c->why));
	if (c->phases->n)
		c->phases->list[c->phases->now].seconds += rfs_clock() - started;
	if (end == RFS_POOL_BUDGET && batch->deadline > 0 && rfs_clock() < c->deadline)
		return end;
	if (end != RFS_POOL_ENOUGH)
		c->end = end;
	return end;
}

/* A step of the end that reaches its deadline does not end the campaign. */
static enum rfs_pool_end executions_note_end(struct rfs_campaign *c, enum rfs_pool_end end)
{
	if (end != RFS_POOL_BUDGET || c->ending->deadline <= 0 || rfs_clock() >= c->deadline)
		c->end = end;
	return end;
}

bool rfs_campaign_one(struct rfs_campaign *c, const struct rfs_execution *execution, bool keep,
		      struct rfs_run_result *result)
{
	if (rfs_ending_over(c) || executions_note_end(c, rfs_pool_run_one(c->pool, execution, keep, result, NULL,
									  c->why, sizeof(c->why))) != RFS_POOL_DONE)
		return false;
	rfs_campaign_note_replay(c, execution, result);
	return true;
}

void rfs_campaign_replays(struct rfs_campaign *c, const struct rfs_batch *batch)
{
	if (!rfs_ending_over(c))
		(void)executions_note_end(c, rfs_pool_run(c->pool, batch, c->why, sizeof(c->why)));
}

void rfs_campaign_note_replay(struct rfs_campaign *c, const struct rfs_execution *execution,
			      const struct rfs_run_result *result)
{
	c->phases->replay_timeouts += result->end == RFS_END_TIMEOUT;
	executions_note(c, execution, result);
}
