/* order_output.c - makes the runs of both orders, and compares their outputs line by line. */
#include "supervisor/campaign/judge/order_output.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/decisions/baseline.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/ending.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/harm.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/predicted/confirm.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/pool/job.h"
#include "supervisor/record/execution.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report_verdict.h"

/* Runs in each order: all of one order and none of the other by chance is as rare as 1 in 180,000. The first ones show
 * that most races do not change the output. */
#define RUNS 10
#define FIRST_RUNS 3
/* At least this many of them must come to the race. */
#define RUNS_MIN 8
#define WIDTH 60

/* What a program wrote: its lines, sorted. */
struct text {
	char *bytes;
	size_t size;
	int status;
};

struct comparison {
	struct rfs_campaign *c;
	struct rfs_pair *pair;
	uint64_t race, first; /* number of the first run of the batch */
	char *options[2 * RUNS];
	struct text texts[2][RUNS];
	uint64_t runs[2];
	bool failed; /* a run has failed */
};

static struct rfs_harm_run order_output_run_of(const struct comparison *x, uint64_t i)
{
	return (struct rfs_harm_run){
		.race = x->race, .other = (x->first + i) % 2, .continuation = (unsigned)((x->first + i) / 2) + 1};
}

static void order_output_make(void *arg, uint64_t i, struct rfs_execution *out)
{
	struct comparison *x = arg;
	const struct rfs_harm_run run = order_output_run_of(x, i);

	free(x->options[i]);
	x->options[i] = rfs_confirm_order(&x->pair->created, &run, out);
	snprintf(out->name, sizeof(out->name), "%.40s-output-%" PRIu64, x->pair->created.execution.name, x->first + i);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines. The thread that goes first also comes first to what it prints next, whatever it has read. */
static struct text sorted(const struct rfs_blob *said, int status)
{
	struct text text = {.status = status};
	char *copy = xasprintf("%.*s", (int)said->size, said->size ? (const char *)said->data : ""), *rest = NULL;
	char **lines = xcalloc(said->size + 1, sizeof(*lines));
	FILE *out = xopen_memstream(&text.bytes, &text.size);
	size_t n = 0;

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		lines[n++] = line;
	if (n)
		qsort(lines, n, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s\n", lines[i]);
	fclose(out);
	free(lines);
	free(copy);
	return text;
}

static bool output_done(void *arg, uint64_t i, const struct rfs_execution *execution, struct rfs_run_result *result)
{
	struct comparison *x = arg;
	const struct rfs_harm_run run = order_output_run_of(x, i);
	struct rfs_signature signature;

	rfs_campaign_note_replay(x->c, execution, result);
	if (!rfs_run_conclusive(result) || result->counters[RFS_COUNTER_RACES] <= run.race)
		return false;
	x->failed |= rfs_run_failed(result, &signature) && !rfs_baseline_always(x->c->baseline, &signature);
	x->texts[run.other][x->runs[run.other]++] = sorted(&result->said, result->detail);
	return false;
}

static void order_output_make_runs(struct comparison *x, uint64_t n)
{
	const struct rfs_batch batch = {
		.n = n, .lasting = true, .make = order_output_make, .done = output_done, .arg = x};

	rfs_campaign_replays(x->c, &batch);
	for (uint64_t i = 0; i < n; i++) {
		free(x->options[i]);
		x->options[i] = NULL;
	}
	x->first += n;
}

static bool order_output_is_same(const struct text *a, const struct text *b)
{
	return a->status == b->status && a->size == b->size && (!a->size || memcmp(a->bytes, b->bytes, a->size) == 0);
}

/* Whether all runs of this order write the same, and no run of the other order does. */
static bool order_output_is_own(const struct comparison *x, int order)
{
	for (uint64_t i = 1; i < x->runs[order]; i++)
		if (!order_output_is_same(&x->texts[order][i], &x->texts[order][0]))
			return false;
	for (uint64_t i = 0; i < x->runs[!order]; i++)
		if (order_output_is_same(&x->texts[!order][i], &x->texts[order][0]))
			return false;
	return x->runs[order] > 0;
}

static bool order_output_differs(const struct comparison *x)
{
	return !x->failed && x->runs[0] && x->runs[1] && (order_output_is_own(x, 0) || order_output_is_own(x, 1));
}

/* The line that has byte `at`. Caller frees. */
static char *line_at(const struct text *text, size_t at)
{
	size_t from = at, n = 0;
	char *line;

	if (at >= text->size)
		return NULL;
	while (from && text->bytes[from - 1] != '\n')
		from--;
	while (from + n < text->size && text->bytes[from + n] != '\n')
		n++;
	line = xasprintf("%.*s%s", (int)(n < WIDTH ? n : WIDTH), text->bytes + from, n < WIDTH ? "" : "...");
	for (char *c = line; *c; c++)
		*c = isprint((unsigned char)*c) ? *c : '?';
	return line;
}

static void name_lines(const struct comparison *x, struct rfs_order_output *out)
{
	const struct text *a = &x->texts[0][0], *b = &x->texts[1][0];
	size_t at = 0;

	while (at < a->size && at < b->size && a->bytes[at] == b->bytes[at])
		at++;
	out->line[0] = line_at(a, at);
	out->line[1] = line_at(b, at);
}

/* Compares the outputs of one race of the saved run. */
static void order_output_compare(struct rfs_campaign *c, struct rfs_pair *pair, uint64_t race)
{
	struct comparison x = {.c = c, .pair = pair, .race = race};

	order_output_make_runs(&x, 2 * FIRST_RUNS);
	if (order_output_differs(&x))
		order_output_make_runs(&x, 2 * (RUNS - FIRST_RUNS));
	if (order_output_differs(&x) && x.runs[0] >= RUNS_MIN && x.runs[1] >= RUNS_MIN) {
		pair->output = (struct rfs_order_output){.depends = true, .runs = {x.runs[0], x.runs[1]}};
		name_lines(&x, &pair->output);
	}
	rfs_note("%s: race %" PRIu64 ": the order %s the output", pair->label, race + 1,
		 pair->output.depends ? "changes" : "does not change");
	for (int k = 0; k < 2; k++)
		for (uint64_t i = 0; i < x.runs[k]; i++)
			free(x.texts[k][i].bytes);
}

static bool is_silent(const struct rfs_pair *pair)
{
	return pair->verdict == RFS_VERDICT_REAL && pair->has_created && !pair->n_failures &&
	       pair->created.replayed == RFS_REPLAY_SAME &&
	       pair->created.execution.spec.policy == rfs_confirm_racefuzzer() &&
	       pair->created.result.counters[RFS_COUNTER_RACES] > 0;
}

void rfs_order_outputs_test(struct rfs_campaign *c)
{
	for (size_t i = 0; i < c->pairs->n; i++) {
		struct rfs_pair *pair = c->pairs->list[i];
		const uint64_t races = is_silent(pair) ? pair->created.result.counters[RFS_COUNTER_RACES] : 0;

		if (!races || c->enough || rfs_ending_over(c))
			continue;
		/* in a loop, the value that stays may be that of the last race, or the first one may decide */
		order_output_compare(c, pair, races - 1);
		if (races > 1 && !pair->output.depends && !rfs_ending_over(c))
			order_output_compare(c, pair, 0);
		rfs_pool_rest(c->pool);
	}
}
