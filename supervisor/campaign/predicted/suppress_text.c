/* suppress_text.c - writes blocks for --suppressions that hide what a report shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/predicted/suppress.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

static void suppress_text_put_frame(FILE *out, const struct rfs_source_place *place)
{
	if (place->function)
		fprintf(out, "   fun:%s\n", place->function);
	else if (place->file && place->line)
		fprintf(out, "   src:%s:%u\n", rfs_base_name(place->file), place->line);
	else
		fprintf(out, "   obj:*%s\n", place->module ? rfs_base_name(place->module) : "");
}

static const char *suppress_text_name_of(const struct rfs_source_place *place)
{
	return place->function ? place->function : place->module ? rfs_base_name(place->module) : "?";
}

/* The frames up to the first one in the user's code, which another build has too. */
static void suppress_text_put_frames(FILE *out, const struct rfs_source_stack *stack)
{
	const size_t own = rfs_source_stack_first_own(stack);

	for (size_t i = 0; i <= own && i < stack->n_frames; i++)
		suppress_text_put_frame(out, &stack->frames[i]);
}

/* A site with the functions that are inlined there. */
static void site_stack(struct rfs_campaign *c, const struct rfs_source_place *at, struct rfs_source_stack *out)
{
	const struct rfs_place place = {.module = at->module, .offset = at->offset};

	*out = (struct rfs_source_stack){0};
	rfs_symbols_stack(c->symbols, &place, 1, out);
}

/* A variable whose name says the same in the next run. */
static bool is_stable(const char *variable)
{
	return variable && strncmp(variable, "0x", 2) != 0 && strncmp(variable, "heap block", 10) != 0 &&
	       !strstr(variable, ", allocated") && strncmp(variable, "stack of", 8) != 0 &&
	       strncmp(variable, "a stack", 7) != 0 && !strstr(variable, "+0x");
}

static void suppress_text_put_pair(struct rfs_campaign *c, FILE *out, const struct rfs_report_pair *pair)
{
	struct rfs_source_stack sides[2];

	for (int k = 0; k < 2; k++)
		site_stack(c, &pair->statement[k].place, &sides[k]);
	if (sides[0].n_frames && sides[1].n_frames) {
		fprintf(out, "{\n   race%s%s: %s, %s\n   rfsup:Race\n", is_stable(pair->variable) ? " on " : "",
			is_stable(pair->variable) ? pair->variable : "",
			suppress_text_name_of(rfs_report_own_place(&pair->statement[0])),
			suppress_text_name_of(rfs_report_own_place(&pair->statement[1])));
		suppress_text_put_frames(out, &sides[0]);
		fprintf(out, "   with:\n");
		suppress_text_put_frames(out, &sides[1]);
		if (is_stable(pair->variable))
			fprintf(out, "   var:%s\n", pair->variable);
		fprintf(out, "}\n");
	}
	for (int k = 0; k < 2; k++)
		rfs_source_stack_release(&sides[k]);
}

/* Two places in user's code, with any frames of libraries before them. */
static void put_two(FILE *out, const char *what, const char *kind, const struct rfs_source_place *a,
		    const struct rfs_source_place *b)
{
	fprintf(out, "{\n   %s: %s%s%s\n   rfsup:%s\n   ...\n", what, suppress_text_name_of(a), b ? ", " : "",
		b ? suppress_text_name_of(b) : "", kind);
	suppress_text_put_frame(out, a);
	if (b) {
		fprintf(out, "   with:\n   ...\n");
		suppress_text_put_frame(out, b);
	}
	fprintf(out, "}\n");
}

static const struct rfs_source_place *suppress_text_own_frame(const struct rfs_source_stack *stack)
{
	return stack->n_frames ? &stack->frames[rfs_source_stack_first_own(stack)] : NULL;
}

static void suppress_text_put_deadlock(FILE *out, const struct rfs_report_deadlock *deadlock)
{
	const struct rfs_source_place *places[2] = {NULL, NULL};
	size_t n = 0;

	for (size_t i = 0; i < deadlock->n_threads && n < 2; i++)
		if (suppress_text_own_frame(&deadlock->threads[i].stack))
			places[n++] = suppress_text_own_frame(&deadlock->threads[i].stack);
	if (n)
		put_two(out, "deadlock", "Deadlock", places[0], places[1]);
}

static void suppress_text_put_cycle(FILE *out, const struct rfs_report_cycle *cycle)
{
	const struct rfs_report_cycle_part *parts = cycle->parts;

	if (cycle->n_parts >= 2 && parts[0].wanted.place && parts[1].wanted.place)
		put_two(out, cycle->one_thread ? "inversion" : "predicted deadlock", "Deadlock", parts[0].wanted.place,
			parts[1].wanted.place);
}

/* What is being written: all blocks so far, and the current one. */
struct blocks {
	char *all, *block;
	size_t size;
	FILE *out;
};

static FILE *suppress_text_begin(struct blocks *blocks)
{
	blocks->out = xopen_memstream(&blocks->block, &blocks->size);
	return blocks->out;
}

/* Adds the block, unless there is such a block. Blocks of one place differ in nothing else. */
static void suppress_text_end(struct blocks *blocks)
{
	fclose(blocks->out);
	if (!strstr(blocks->all, blocks->block)) {
		char *both = xasprintf("%s%s", blocks->all, blocks->block);

		free(blocks->all);
		blocks->all = both;
	}
	free(blocks->block);
}

char *rfs_suppress_generate(struct rfs_campaign *c, const struct rfs_report *report)
{
	struct blocks blocks = {.all = xstrdup("")};

	for (size_t i = 0; i < report->n_pairs; i++)
		if (!report->pairs[i].identity.suppressed) {
			suppress_text_put_pair(c, suppress_text_begin(&blocks), &report->pairs[i]);
			suppress_text_end(&blocks);
		}
	for (size_t i = 0; i < report->n_deadlocks; i++)
		if (!report->deadlocks[i].identity.suppressed &&
		    report->deadlocks[i].run.replayed != RFS_REPLAY_DIFFERENT) {
			suppress_text_put_deadlock(suppress_text_begin(&blocks), &report->deadlocks[i]);
			suppress_text_end(&blocks);
		}
	for (size_t i = 0; i < report->cycles.n; i++)
		if (!report->cycles.list[i].suppressed && !report->cycles.list[i].created) {
			suppress_text_put_cycle(suppress_text_begin(&blocks), &report->cycles.list[i]);
			suppress_text_end(&blocks);
		}
	for (size_t i = 0; i < report->violations.n; i++)
		if (!report->violations.list[i].suppressed) {
			put_two(suppress_text_begin(&blocks), "atomicity violation", "Atomicity",
				&report->violations.list[i].first.place, &report->violations.list[i].remote.place);
			suppress_text_end(&blocks);
		}
	for (size_t i = 0; i < report->misuses.n; i++)
		if (!report->misuses.list[i].identity.suppressed && report->misuses.list[i].stack.n_frames) {
			put_two(suppress_text_begin(&blocks), "misuse", "Misuse",
				suppress_text_own_frame(&report->misuses.list[i].stack), NULL);
			suppress_text_end(&blocks);
		}
	return blocks.all;
}
