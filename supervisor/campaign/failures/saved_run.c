/* saved_run.c - keeps runs, replays them, compares the replays, and writes records. */
#include "supervisor/campaign/failures/saved_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/campaign/decisions/minimise.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/executions/warnings.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"

/* A replay that times out is made once more. */
#define REPLAYS_MOST 2
/* Replays of runs with more allocations do not stop at each of them, so they know callers of few allocations. Two stops
 * each of about 5 microseconds are then a tenth of a second. */
#define BLOCKS_MOST 10000

void rfs_saved_run_take(struct rfs_saved_run *kept, const struct rfs_execution *execution,
			struct rfs_run_result *result)
{
	const struct rfs_run_spec *spec = &execution->spec;

	memset(kept, 0, sizeof(*kept));
	kept->execution = *execution;
	kept->execution.alike = 0; /* that was said of its batch; what repeats the run is in another one */
	kept->result = *result;
	memset(result, 0, sizeof(*result));
	rfs_lessons_take(&kept->lessons, &spec->lessons);
	/* Lessons are copied. rfs_saved_run_execution() sets the pointer to them for each use, because this struct may
	 * be moved. */
	kept->execution.lessons = NULL;
	kept->execution.spec.lessons.spin = NULL;
	if (spec->policy_blob) {
		kept->blob.size = spec->policy_blob->size;
		kept->blob.data = xmalloc(kept->blob.size ? kept->blob.size : 1);
		if (kept->blob.size)
			memcpy(kept->blob.data, spec->policy_blob->data, kept->blob.size);
	}
}

void rfs_saved_run_release(struct rfs_saved_run *kept)
{
	rfs_lessons_release(&kept->lessons);
	free(kept->blob.data);
	rfs_run_result_release(&kept->result);
	free(kept->difference);
	free(kept->reason);
	free(kept->input);
	memset(kept, 0, sizeof(*kept));
}

void rfs_self_check_release(struct rfs_self_check *check)
{
	free(check->difference);
	*check = (struct rfs_self_check){0};
}

void rfs_saved_run_discard(struct rfs_campaign *c, struct rfs_saved_run *kept)
{
	static const char *const suffixes[] = {"trace", "trace.stacks", "input"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		char *path = rfs_campaign_record(c, kept->execution.name, suffixes[i]);

		unlink(path);
		free(path);
	}
	rfs_pool_discard(c->pool, &kept->execution);
	rfs_saved_run_release(kept);
}

/* A run that ended by itself is not cut short again: its replay may be slower. */
void rfs_saved_run_execution(const struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_execution *out)
{
	*out = kept->execution;
	out->two_passes = false;
	if (kept->result.end != RFS_END_TIMEOUT)
		out->spec.limits.timeout = c->options->run.limits.timeout;
	out->lessons = &kept->lessons;
	rfs_lessons_give(&kept->lessons, &out->spec.lessons);
	if (kept->execution.spec.policy_blob)
		out->spec.policy_blob = &kept->blob;
	out->spec.input.out = NULL;
	if (kept->input) {
		out->spec.input.in = kept->input;
		out->input = strrchr(kept->input, '/') + 1;
	}
}

bool rfs_saved_run_choices(struct rfs_campaign *c, const struct rfs_saved_run *kept, struct rfs_execution *out,
			   struct rfs_choices *choices)
{
	struct rfs_run_result result;

	rfs_saved_run_execution(c, kept, out);
	snprintf(out->name, sizeof(out->name), "%.40s-choices", kept->execution.name);
	out->spec.wanted.schedule = true;
	if (!rfs_campaign_one(c, out, false, &result))
		return false;
	out->spec.wanted.schedule = false;
	out->spec.detector = NULL;
	out->spec.wanted.orders = false;
	*choices = rfs_choices_of(&result);
	rfs_run_result_release(&result);
	return true;
}

static bool same_places(const struct rfs_place *a, size_t n_a, const struct rfs_place *b, size_t n_b)
{
	if (n_a != n_b)
		return false;
	for (size_t i = 0; i < n_a; i++)
		if (a[i].offset != b[i].offset || !a[i].module != !b[i].module ||
		    (a[i].module && strcmp(a[i].module, b[i].module) != 0))
			return false;
	return true;
}

static bool same_waiters(const struct rfs_waiters *a, const struct rfs_waiters *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (!same_places(a->list[i].stack, a->list[i].n_stack, b->list[i].stack, b->list[i].n_stack))
			return false;
	return a->n == b->n;
}

/* Compares a replay with the run. */
static enum rfs_replayed saved_run_compare(const struct rfs_saved_run *kept, const struct rfs_run_result *result)
{
	const struct rfs_run_result *run = &kept->result;
	struct rfs_signature unused;

	if (rfs_run_ended_as(result, run->end, run->detail, run->hash))
		return RFS_REPLAY_SAME;
	if (rfs_run_failed(result, &unused) && result->end == run->end && result->detail == run->detail &&
	    same_places(result->fault, result->n_fault, run->fault, run->n_fault) &&
	    same_waiters(&result->deadlock, &run->deadlock))
		return RFS_REPLAY_ALIKE;
	return RFS_REPLAY_DIFFERENT;
}

/* Why a replay differs, and what to do. Caller frees; NULL: not known. */
static char *reason_of(const struct rfs_saved_run *kept, const struct rfs_run_result *result)
{
	const unsigned kinds = kept->result.nondet.kinds | result->nondet.kinds;
	const char *name, *cause = rfs_nondet_cause(kinds);

	if (rfs_nondet_files_differ(&kept->result.nondet, &result->nondet, &name))
		return xasprintf("the runs %s %s; use --fresh-dir, or remove what a run leaves with --setup",
				 name ? "read and change" : "read a file that changes", name ? name : "");
	return cause ? xstrdup(cause) : NULL;
}

/* Whether the run says nothing about the seed: it took too long, or it was killed from outside. */
static bool is_inconclusive(const struct rfs_run_result *result)
{
	return result->end == RFS_END_TIMEOUT || result->end == RFS_END_UNCONTROLLED;
}

/* Rewrites the record of the run with its outcome. */
static void write_outcome(struct rfs_campaign *c, const struct rfs_saved_run *kept, const char *trace)
{
	char *path = rfs_campaign_record(c, kept->execution.name, "json"), why[512];
	struct rfs_execution execution;

	rfs_saved_run_execution(c, kept, &execution);
	if (rfs_record_write(path, &execution, &kept->result, trace, why, sizeof(why)))
		rfs_warnings_give(c->warnings, why);
	free(path);
}

/* Text for a diverged replay: the first difference, and its likely cause. Caller frees. */
static char *difference_text(const struct rfs_run_result *diverged)
{
	return xasprintf("%s; likely cause: %s", diverged->message ? diverged->message : "unknown reason",
			 diverged->divergence.cause ? diverged->divergence.cause : "unknown");
}

/*
 * Finds out where a run and its replay differ. Makes two more runs: the first writes a trace, and the second is
 * compared with this trace. The trace stays, so that rfsup --replay can show the difference too.
 */
static void name_difference(struct rfs_campaign *c, struct rfs_saved_run *kept, const char *trace)
{
	struct rfs_execution execution;
	struct rfs_run_result result;

	rfs_saved_run_execution(c, kept, &execution);
	snprintf(execution.name, sizeof(execution.name), "%.50s-again", kept->execution.name);
	execution.spec.trace.out = trace;
	execution.spec.trace.stacks = true;
	if (!rfs_campaign_one(c, &execution, false, &result))
		return;
	rfs_run_result_release(&result);
	execution.spec.trace.out = NULL;
	execution.spec.trace.in = trace;
	if (!rfs_campaign_one(c, &execution, false, &result))
		return;
	if (result.end == RFS_END_DIVERGED)
		kept->difference = difference_text(&result);
	rfs_run_result_release(&result);
}

static void find_input(struct rfs_campaign *c, struct rfs_saved_run *kept)
{
	char *path = rfs_campaign_record(c, kept->execution.name, "input");

	if (!kept->input && access(path, R_OK) == 0)
		kept->input = path;
	else
		free(path);
}

bool rfs_saved_run_save(struct rfs_campaign *c, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct rfs_saved_run kept;

	if (!execution->spec.policy)
		return false;
	rfs_saved_run_take(&kept, execution, result);
	find_input(c, &kept);
	write_outcome(c, &kept, NULL);
	rfs_saved_run_release(&kept);
	return true;
}

/*
 * Checks that the same seed gives the same run. The saved run and its replay are two runs. Here a third run is compared
 * with the trace of the second. Only the first finding of a campaign is checked in this way; other findings are just
 * replayed.
 */
static void check_oneself(struct rfs_campaign *c, const struct rfs_saved_run *kept, const char *trace)
{
	struct rfs_execution execution;
	struct rfs_run_result result;

	if (c->check->runs)
		return;
	if (kept->replayed != RFS_REPLAY_SAME) {
		c->check->runs = 2;
		c->check->difference = xstrdup(
			kept->difference ? kept->difference
			: kept->reason	 ? kept->reason
					 : "a replay ended differently; the first different operation is unknown");
		return;
	}
	rfs_saved_run_execution(c, kept, &execution);
	snprintf(execution.name, sizeof(execution.name), "%.50s-check", kept->execution.name);
	execution.spec.trace.in = trace;
	if (!rfs_campaign_one(c, &execution, false, &result))
		return;
	if (!is_inconclusive(&result))
		c->check->runs = 3;
	if (result.end == RFS_END_DIVERGED)
		c->check->difference = difference_text(&result);
	else if (c->check->runs && !rfs_run_ended_as(&result, kept->result.end, kept->result.detail, kept->result.hash))
		c->check->difference = xstrdup("the same operations, but a different outcome");
	rfs_run_result_release(&result);
}

static int compare_steps(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* When the threads of a deadlock or hang acquired the locks that they hold. Caller frees. */
static uint64_t *saved_run_acquisitions(const struct rfs_run_result *result, size_t *n)
{
	uint64_t *steps = NULL;

	*n = 0;
	for (int k = 0; k < 2; k++) {
		const struct rfs_waiters *waiters = k ? &result->threads : &result->deadlock;

		for (size_t i = 0; i < waiters->n; i++)
			for (size_t j = 0; j < waiters->list[i].n_acquired; j++)
				if (waiters->list[i].acquired[j].step) {
					steps = xreallocarray(steps, *n + 1, sizeof(*steps));
					steps[(*n)++] = waiters->list[i].acquired[j].step;
				}
	}
	if (*n)
		qsort(steps, *n, sizeof(*steps), compare_steps);
	return steps;
}

/* The replay has the stacks with which the threads acquired their locks. */
static void take_waiters(struct rfs_waiters *to, struct rfs_waiters *from)
{
	struct rfs_waiters old = *to;

	*to = *from;
	*from = old;
}

/* The replay has the stacks with which blocks were allocated. */
static void take_created(struct rfs_run_result *to, struct rfs_run_result *from)
{
	const struct rfs_race old = to->created;

	if (!to->n_created || !from->n_created)
		return;
	to->created = from->created;
	from->created = old;
}

void rfs_saved_run_replay(struct rfs_campaign *c, struct rfs_saved_run *kept)
{
	uint64_t *stacks_at = NULL;
	char *trace = rfs_campaign_record(c, kept->execution.name, "trace");
	struct rfs_execution execution;
	struct rfs_run_result result = {0};

	/* an uncontrolled run cannot be replayed */
	if (kept->replayed != RFS_REPLAY_NOT_YET || !kept->execution.spec.policy || kept->tries == REPLAYS_MOST)
		goto out;
	find_input(c, kept);
	rfs_saved_run_execution(c, kept, &execution);
	snprintf(execution.name, sizeof(execution.name), "%.50s-again", kept->execution.name);
	execution.spec.trace.out = trace;
	execution.spec.trace.stacks = true;
	execution.spec.wanted.block_stacks = kept->result.counts.blocks <= BLOCKS_MOST;
	execution.spec.wanted.stacks_at = stacks_at =
		saved_run_acquisitions(&kept->result, &execution.spec.wanted.n_stacks_at);
	kept->left_out = !rfs_campaign_one(c, &execution, false, &result);
	kept->tries += !kept->left_out;
	if (kept->left_out || is_inconclusive(&result)) {
		/*
		 * there is no replay, because the campaign has ended, or the replay timed out or was killed; the record
		 * gets no trace
		 */
		rfs_run_result_release(&result);
		write_outcome(c, kept, NULL);
		unlink(trace);
		goto out;
	}
	kept->replayed = saved_run_compare(kept, &result);
	if (kept->replayed != RFS_REPLAY_SAME)
		kept->reason = reason_of(kept, &result);
	if (kept->replayed == RFS_REPLAY_SAME) {
		take_waiters(&kept->result.deadlock, &result.deadlock);
		take_waiters(&kept->result.threads, &result.threads);
		take_created(&kept->result, &result);
	}
	rfs_run_result_release(&result);
	if (kept->replayed != RFS_REPLAY_SAME)
		name_difference(c, kept, trace);
	if (access(trace, F_OK) == 0)
		check_oneself(c, kept, trace);
	write_outcome(c, kept, access(trace, F_OK) == 0 ? strrchr(trace, '/') + 1 : NULL);
out:
	free(stacks_at);
	free(trace);
}

void rfs_saved_run_replay_any(struct rfs_campaign *c, struct rfs_saved_run *kept, struct rfs_spare_runs *spare)
{
	rfs_saved_run_replay(c, kept);
	for (size_t i = 0; i < spare->n; i++) {
		struct rfs_saved_run *other = &spare->list[i];

		if (kept->replayed == RFS_REPLAY_DIFFERENT)
			rfs_saved_run_replay(c, other);
		if (other->replayed == RFS_REPLAY_SAME || other->replayed == RFS_REPLAY_ALIKE) {
			struct rfs_saved_run first = *kept;

			*kept = *other;
			*other = first;
		}
		if (c->options->keep_records) {
			find_input(c, other);
			write_outcome(c, other, NULL);
			rfs_saved_run_release(other);
		} else {
			rfs_saved_run_discard(c, other);
		}
	}
	spare->n = 0;
}
