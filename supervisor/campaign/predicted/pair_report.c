/* pair_report.c - only copies: verdicts are decided before. */
#include "supervisor/campaign/predicted/pair_report.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/campaign/decisions/verdict.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/executions.h"
#include "supervisor/campaign/failures/failure_key.h"
#include "supervisor/campaign/failures/harm.h"
#include "supervisor/campaign/failures/sanitizer_report.h"
#include "supervisor/campaign/failures/saved_run.h"
#include "supervisor/campaign/failures/saved_run_report.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/heap_name.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/symbolize.h"

static void fill_statement(struct rfs_campaign *c, const struct rfs_evidence *evidence,
			   struct rfs_report_statement *out)
{
	rfs_symbols_place(c->symbols, &evidence->site, false, &out->place);
	out->access = evidence->access;
	out->seen = true;
	out->stale = evidence->stale;
	out->address = rfs_memory_address(evidence->object.address);
	out->process = (int)evidence->process;
	out->size = evidence->size;
	out->thread = evidence->thread;
	out->handler = evidence->handler;
	out->team_number = evidence->team_number;
	out->team_size = evidence->team_size;
	rfs_report_objects(c, evidence->locks, evidence->n_locks, &out->locks);
	rfs_symbols_stack(c->symbols, evidence->stack, evidence->n_stack, &out->stack);
}

/*
 * Fills the statements of *out from `race`. Takes the name of the variable from the objects of `named`, which
 * named_by() has chosen.
 */
static void fill_evidence(struct rfs_campaign *c, const struct rfs_race *race, const struct rfs_race *named,
			  struct rfs_report_pair *out)
{
	const bool frees = (named->side[0].access | named->side[1].access) & RFS_ACCESS_FREE;

	/* the report lists the statements in the order of the pair; the sides of a race may be swapped */
	for (int k = 0; k < 2; k++)
		fill_statement(c, &race->side[race->swapped ? 1 - k : k], &out->statement[k]);
	/* both accesses overlap, so the object of either side names the variable; a free is of the whole block */
	for (int k = 0; k < 2 && !out->variable; k++) {
		const struct rfs_object *object = &named->side[k].object;

		out->variable = object->kind == RFS_MEMORY_HEAP && frees
					? rfs_symbols_block(c->symbols, object, RFS_BLOCK_WHOLE)
					: rfs_symbols_object(c->symbols, object, NULL);
		if (out->variable && object->kind == RFS_MEMORY_HEAP)
			rfs_symbols_stack(c->symbols, object->stack, object->n_stack, &out->allocated);
	}
}

/* Describes a statement by its first site. For a statement of --pairs that no thread reached. */
static void fill_named(struct rfs_campaign *c, const struct rfs_statement *statement, struct rfs_report_statement *out)
{
	struct rfs_place place;

	if (!statement->n_sites)
		return;
	place = (struct rfs_place){.module = (char *)statement->sites[0].module, .offset = statement->sites[0].offset};
	rfs_symbols_place(c->symbols, &place, false, &out->place);
}

/*
 * Shows an unconfirmed pair. A prediction is shown as it was made, because its two accesses belong together: they are
 * of two threads, they overlap, and one writes. Only the stack comes from phase confirm, if the same thread was parked
 * there. Of a named pair, each statement is shown by a thread that was parked there, otherwise by its name.
 */
static void fill_unconfirmed(struct rfs_campaign *c, const struct rfs_pair *pair, struct rfs_report_pair *out)
{
	struct rfs_race shown = pair->evidence; /* borrows the pair's memory, so it is not freed */

	for (int k = 0; k < 2; k++) {
		const struct rfs_evidence *stood = &pair->stood[k];

		if (stood->site.module && stood->thread == shown.side[k].thread) {
			shown.side[k].stack = stood->stack;
			shown.side[k].n_stack = stood->n_stack;
		}
	}
	if (pair->predicted) {
		fill_evidence(c, &shown, &pair->evidence, out);
		return;
	}
	for (int k = 0; k < 2; k++) {
		if (pair->stood[k].site.module)
			fill_statement(c, &pair->stood[k], &out->statement[k]);
		else
			fill_named(c, &pair->statements.statement[k], &out->statement[k]);
	}
}

/*
 * Chooses the failure to show: the first attributed failure, otherwise the first failure. Failures that a replay did
 * not reproduce are skipped. NULL: no failure is left.
 */
static const struct rfs_pair_failure *choose_failure(const struct rfs_pair *pair)
{
	const struct rfs_pair_failure *best = NULL;

	for (size_t i = 0; i < pair->n_failures; i++) {
		const struct rfs_pair_failure *failure = &pair->failures[i];

		if (failure->first.replayed == RFS_REPLAY_DIFFERENT)
			continue;
		if (!best || failure->attributed > best->attributed)
			best = failure;
	}
	return best;
}

/*
 * Chooses the race whose objects name the memory: the created one or the predicted one. A run that creates a race has
 * no detector, so rfsup does not track the heap in it. If the object of the created race is unknown, the prediction may
 * have a name for it.
 */
static const struct rfs_race *named_by(const struct rfs_pair *pair, const struct rfs_race *created)
{
	bool unknown = created->side[0].object.kind == RFS_MEMORY_OTHER;

	return unknown && pair->predicted ? &pair->evidence : created;
}

/* The statement that goes first in the failed run, if the race that was tested is the one that is described. */
static int first_of(const struct rfs_pair_failure *failure)
{
	const struct rfs_race *created = &failure->first.result.created;

	if (!failure->harm.tests || failure->harm.race != created->number)
		return 0;
	return created->first && created->swapped ? 3 - created->first : created->first;
}

void rfs_pair_report_fill(struct rfs_campaign *c, const struct rfs_pair *pair, struct rfs_report_pair *out)
{
	const struct rfs_pair_failure *failure = choose_failure(pair);
	const struct rfs_saved_run *freed = failure && failure->attributed ? NULL : rfs_pair_use_after_free(pair);
	const struct rfs_saved_run *kept = freed	       ? freed
					   : failure	       ? &failure->first
					   : pair->has_created ? &pair->created
					   : pair->n_failures  ? &pair->failures[0].first
							       : NULL;

	if (kept)
		fill_evidence(c, &kept->result.created, named_by(pair, &kept->result.created), out);
	else
		fill_unconfirmed(c, pair, out);
	out->interrupts = kept && kept->result.created.interrupts;
	out->verdict = pair->verdict;
	out->atomic = pair->verdict == RFS_VERDICT_UNCLEAR;
	out->planned = pair->arm.planned;
	out->runs = pair->runs;
	out->timeouts = pair->timeouts;
	out->tried = pair->tried_created ? 0 : pair->tried;
	out->reached[0] = pair->reached[0];
	out->reached[1] = pair->reached[1];
	memcpy(out->executed, pair->executed, sizeof(out->executed));
	memcpy(out->stopped, pair->stopped, sizeof(out->stopped));
	out->confirmed = pair->confirmed;
	out->failures = pair->failed;
	if (failure) {
		out->failed = true;
		out->kind = failure->key.signature.kind;
		out->number = failure->key.signature.detail;
		out->detail = out->kind == RFS_FAILURE_HANG ? rfs_report_hang(&failure->first.result)
							    : rfs_signature_detail(&failure->key.signature);
		out->attributed = failure->attributed;
		out->orders = (struct rfs_report_orders){
			.tests = failure->harm.tests,
			.race = failure->harm.race + 1,
			.first = first_of(failure),
			.runs = {failure->harm.runs[0], failure->harm.runs[1]},
			.failed = {failure->harm.failed[0], failure->harm.failed[1]},
			.p = failure->harm.p,
			.corrected = failure->harm.corrected,
		};
		out->not_replayed = failure->first.replayed == RFS_REPLAY_NOT_YET;
		rfs_report_said(c, &failure->first, &out->said);
		rfs_sanitizer_add_kind(&out->said, &out->detail);
	}
	for (int k = 0; k < 2 && pair->output.depends; k++) {
		out->output.runs[k] = pair->output.runs[k];
		out->output.line[k] = pair->output.line[k] ? xstrdup(pair->output.line[k]) : NULL;
	}
	if (freed) {
		out->failed = true;
		out->kind = RFS_FAILURE_USE_AFTER_FREE;
		free(out->detail);
		out->detail = NULL;
	}
	if (kept) {
		out->has_seed = true;
		out->seed = kept->execution.spec.seed;
		out->record = rfs_campaign_record(c, kept->execution.name, "json");
		rfs_saved_run_report_fill(c, kept, &out->shown);
	}
}
