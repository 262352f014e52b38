/*
 * triage.c - matches reports with statements and locks of the program, makes pairs and deadlocks of them, and writes
 * their rows of the report.
 */
#include "supervisor/campaign/triage/triage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/base/siteset.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/executions/tally.h"
#include "supervisor/campaign/phases/joint_runs.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/triage/match.h"
#include "supervisor/campaign/triage/triage-priv.h"
#include "supervisor/import/function_name.h"
#include "supervisor/import/import.h"
#include "supervisor/record/cycle.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_triage.h"

/* Pairs by their statements, so that reports share them. */
struct rfs_triage_known {
	char *text; /* key */
	struct rfs_pair *pair;
	UT_hash_handle hh;
};

struct rfs_triage *rfs_triage_new(const struct rfs_import *import)
{
	struct rfs_triage *triage = xcalloc(1, sizeof(*triage));

	triage->import = import;
	triage->entries = xcalloc(import->n + 1, sizeof(*triage->entries));
	for (size_t i = 0; i < import->n; i++)
		triage->entries[i].report = import->reports[i];
	return triage;
}

void rfs_triage_free(struct rfs_triage *triage)
{
	struct rfs_run_result owner = {0};
	struct rfs_triage_known *pair, *next;

	if (!triage)
		return;
	for (size_t i = 0; i < triage->import->n; i++) {
		rfs_matched_release(&triage->entries[i].access[0]);
		rfs_matched_release(&triage->entries[i].access[1]);
		free(triage->entries[i].why);
	}
	free(triage->entries);
	HASH_ITER (hh, triage->known, pair, next) {
		HASH_DEL(triage->known, pair);
		free(pair->text);
		free(pair);
	}
	owner.prediction = triage->races;
	rfs_run_result_release(&owner);
	rfs_cycle_list_release(&triage->cycles);
	rfs_survey_release(&triage->survey);
	free(triage);
}

static bool lacks_held(const struct rfs_import_report *report)
{
	for (size_t i = 0; i < report->n_parts; i++)
		if (!report->parts[i].held.n)
			return true;
	return report->n_parts < 2;
}

bool rfs_triage_needs_prediction(const struct rfs_triage *triage)
{
	for (size_t i = 0; i < triage->import->n; i++) {
		const struct rfs_import_report *report = triage->entries[i].report;

		if ((report->kind == RFS_IMPORT_RACE && report->n_accesses == 1) ||
		    (report->kind == RFS_IMPORT_DEADLOCK && lacks_held(report)))
			return true;
	}
	return false;
}

void rfs_triage_learn(struct rfs_triage *triage, struct rfs_run_result *result)
{
	struct rfs_prediction *races = &triage->races, *more = &result->prediction;

	rfs_survey_predicted(&triage->survey, more);
	races->races = xreallocarray(races->races, races->n + more->n + 1, sizeof(*races->races));
	for (size_t i = 0; i < more->n; i++)
		races->races[races->n++] = more->races[i];
	more->n = 0;
	rfs_cycle_list_join(&triage->cycles, result);
}

/* ---- races ---- */

static int triage_compare_sites(const void *a, const void *b)
{
	const struct rfs_site_ref *x = a, *y = b;

	return rfs_site_compare(x->module, x->offset, y->module, y->offset);
}

static struct rfs_statement triage_own(const struct rfs_matched *matched)
{
	struct rfs_site_ref *sites = xcalloc(matched->n + 1, sizeof(*sites));

	for (size_t i = 0; i < matched->n; i++)
		sites[i] = (struct rfs_site_ref){xstrdup(matched->sites[i].module), matched->sites[i].offset};
	return (struct rfs_statement){.sites = sites, .n_sites = matched->n};
}

static char *triage_text_of(const struct rfs_matched *matched)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < matched->n; i++)
		fprintf(out, "%s+%" PRIx64 "\n", matched->sites[i].module, matched->sites[i].offset);
	fclose(out);
	return text;
}

/* The campaign's pair with these statements, in any order. */
static const struct rfs_pair *triage_pair_of(struct rfs_campaign *c, const struct rfs_matched access[2])
{
	struct rfs_triage *triage = c->triage;
	char *sides[2], *text;
	struct rfs_triage_known *known;
	int first;

	for (int k = 0; k < 2; k++)
		sides[k] = triage_text_of(&access[k]);
	first = strcmp(sides[0], sides[1]) > 0;
	text = xasprintf("%s\n%s", sides[first], sides[1 - first]);
	free(sides[0]);
	free(sides[1]);
	HASH_FIND_STR(triage->known, text, known);
	if (known) {
		free(text);
		return known->pair;
	}
	known = xcalloc(1, sizeof(*known));
	known->text = text;
	known->pair = rfs_pair_list_add(c->pairs);
	for (int k = 0; k < 2; k++)
		known->pair->statements.statement[k] = triage_own(&access[k ? 1 - first : first]);
	HASH_ADD_KEYPTR(hh, triage->known, known->text, strlen(known->text), known);
	return known->pair;
}

static void triage_add_pairs(struct rfs_campaign *c, struct rfs_triage_entry *entry)
{
	const struct rfs_matched *access = entry->access;

	for (int k = 0; k < 2; k++)
		qsort(access[k].sites, access[k].n, sizeof(*access[k].sites), triage_compare_sites);
	if (entry->how != RFS_MATCH_FUNCTION || access[0].n * access[1].n > PAIRS_MAX) {
		entry->pairs[entry->n_pairs++] = triage_pair_of(c, access);
		return;
	}
	for (size_t i = 0; i < access[0].n; i++)
		for (size_t k = 0; k < access[1].n; k++) {
			const struct rfs_matched single[2] = {
				{.sites = &access[0].sites[i], .n = 1},
				{.sites = &access[1].sites[k], .n = 1},
			};

			entry->pairs[entry->n_pairs++] = triage_pair_of(c, single);
		}
}

struct rfs_statement_pair rfs_triage_statements(const struct rfs_triage_entry *entry)
{
	struct rfs_statement_pair pair = {0};

	for (int k = 0; k < 2; k++)
		pair.statement[k] = (struct rfs_statement){entry->access[k].sites, entry->access[k].n};
	return pair;
}

void rfs_triage_pair(struct rfs_campaign *c)
{
	struct rfs_triage *triage = c->triage;

	rfs_triage_pair_lone(triage);
	for (size_t i = 0; i < triage->import->n; i++) {
		struct rfs_triage_entry *entry = &triage->entries[i];
		const struct rfs_statement_pair pair = rfs_triage_statements(entry);

		if (!rfs_triage_is_lone(entry) && entry->n_pairs)
			entry->surveyed = rfs_survey_of(&triage->survey, &pair);
		else if (rfs_triage_is_lone(entry) && entry->access[1].n)
			triage_add_pairs(c, entry);
	}
	for (size_t i = 0; i < c->pairs->n; i++)
		c->pairs->list[i]->surveyed = rfs_survey_of(&triage->survey, &c->pairs->list[i]->statements);
}

static void match_race(struct rfs_campaign *c, struct rfs_match *match, struct rfs_triage_entry *entry)
{
	const struct rfs_import_report *report = entry->report;
	char why[512];

	for (size_t k = 0; k < report->n_accesses; k++) {
		if (rfs_match_access(match, report, &report->access[k], &entry->access[k], why, sizeof(why))) {
			entry->why = xasprintf("%s access: %s", k ? "second" : "first", why);
			return;
		}
		if (entry->access[k].how > entry->how)
			entry->how = entry->access[k].how;
	}
	if (report->n_accesses == 2)
		triage_add_pairs(c, entry);
	else if (report->n_accesses == 0)
		entry->why = xstrdup(report->cut ? "the file ends inside the report" : "the report has no stack");
}

/* ---- deadlocks ---- */

/* The locks of one thread of a report. */
struct part {
	struct rfs_matched held, wanted;
};

static const struct rfs_predicted_cycle *cycle_of(struct rfs_campaign *c, struct rfs_cycle *cycle)
{
	rfs_cycle_rotate(cycle);
	for (size_t i = 0; i < c->cycles->n; i++)
		if (rfs_cycle_compare(&c->cycles->list[i]->cycle, cycle) == 0) {
			rfs_cycle_release(cycle);
			return c->cycles->list[i];
		}
	rfs_cycle_list_add(c->cycles, cycle);
	return c->cycles->list[c->cycles->n - 1];
}

static void note_cycle(struct rfs_campaign *c, struct rfs_triage_entry *entry, struct rfs_cycle *cycle)
{
	const struct rfs_predicted_cycle *added = cycle_of(c, cycle);

	for (size_t i = 0; i < entry->n_cycles; i++)
		if (entry->cycles[i] == added)
			return;
	entry->cycles[entry->n_cycles++] = added;
}

static struct rfs_cycle_lock copy_lock(const struct rfs_cycle_lock *lock)
{
	struct rfs_cycle_lock copy = {.class = lock->class, .word = lock->word, .site = lock->site};

	rfs_place_own(&copy.site);
	return copy;
}

/* Whether the threads of a predicted deadlock want the locks of the report, from part `first` of the prediction on. */
static bool wants_same(const struct rfs_cycle *cycle, size_t first, const struct part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rfs_cycle_part *part = &cycle->parts[(first + i) % cycle->n];

		if (!part->wanted.site.module ||
		    !rfs_matched_has(&parts[i].wanted, part->wanted.site.module, part->wanted.site.offset))
			return false;
		if (parts[i].held.n && part->held.site.module &&
		    !rfs_matched_has(&parts[i].held, part->held.site.module, part->held.site.offset))
			return false;
	}
	return true;
}

/* Uses what the predicting run has shown. A report of one order fits any cycle in which a thread has this order. */
static void take_predicted(struct rfs_campaign *c, struct rfs_triage_entry *entry, const struct part *parts, size_t n)
{
	const struct rfs_cycle_list *cycles = &c->triage->cycles;

	for (size_t i = 0; i < cycles->n && entry->n_cycles < CYCLES_MAX; i++) {
		const struct rfs_cycle *predicted = &cycles->list[i]->cycle;
		struct rfs_cycle copy = {.n = predicted->n};
		bool fits = false;

		for (size_t first = 0; first < predicted->n && !fits; first++)
			fits = !predicted->one_thread && (n == 1 || n == predicted->n) &&
			       wants_same(predicted, first, parts, n);
		if (!fits)
			continue;
		copy.parts = xcalloc(copy.n, sizeof(*copy.parts));
		for (size_t k = 0; k < copy.n; k++) {
			copy.parts[k].held = copy_lock(&predicted->parts[k].held);
			copy.parts[k].wanted = copy_lock(&predicted->parts[k].wanted);
		}
		note_cycle(c, entry, &copy);
	}
}

static struct rfs_cycle_lock triage_lock_at(const struct rfs_matched *matched, size_t *number)
{
	size_t i = *number % matched->n;
	struct rfs_cycle_lock lock = {.site = {(char *)matched->sites[i].module, matched->sites[i].offset}};

	*number /= matched->n;
	rfs_place_own(&lock.site);
	return lock;
}

/* Makes a deadlock of each combination of places. */
static void combine(struct rfs_campaign *c, struct rfs_triage_entry *entry, const struct part *parts, size_t n)
{
	size_t combinations = 1;

	for (size_t i = 0; i < n && combinations <= CYCLES_MAX; i++)
		combinations *= parts[i].held.n * parts[i].wanted.n;
	for (size_t number = 0; number < combinations && entry->n_cycles < CYCLES_MAX; number++) {
		struct rfs_cycle cycle = {.n = n, .parts = xcalloc(n, sizeof(*cycle.parts))};
		size_t rest = number;

		for (size_t i = 0; i < n; i++) {
			cycle.parts[i].held = triage_lock_at(&parts[i].held, &rest);
			cycle.parts[i].wanted = triage_lock_at(&parts[i].wanted, &rest);
		}
		note_cycle(c, entry, &cycle);
	}
}

static bool match_parts(struct rfs_match *match, struct rfs_triage_entry *entry, struct part *parts)
{
	const struct rfs_import_report *report = entry->report;
	char why[512];

	for (size_t i = 0; i < report->n_parts; i++) {
		const struct rfs_import_part *part = &report->parts[i];

		if (rfs_match_lock(match, report, &part->wanted, &parts[i].wanted, why, sizeof(why))) {
			entry->why = xasprintf("wanted lock: %s", why);
			return false;
		}
		if (part->held.n && rfs_match_lock(match, report, &part->held, &parts[i].held, why, sizeof(why))) {
			entry->why = xasprintf("held lock: %s", why);
			return false;
		}
		if (parts[i].wanted.how > entry->how)
			entry->how = parts[i].wanted.how;
	}
	return true;
}

static void match_deadlock(struct rfs_campaign *c, struct rfs_match *match, struct rfs_triage_entry *entry)
{
	const struct rfs_import_report *report = entry->report;
	size_t n = report->n_parts;
	struct part *parts = xcalloc(n + 1, sizeof(*parts));
	bool complete = n >= 2;

	if (n && match_parts(match, entry, parts)) {
		take_predicted(c, entry, parts, n);
		for (size_t i = 0; i < n && !entry->n_cycles; i++) {
			if (!parts[i].held.n)
				rfs_match_locks_before(match, &report->parts[i].wanted, &parts[i].wanted,
						       &parts[i].held);
			complete &= parts[i].held.n > 0;
		}
		if (!entry->n_cycles && complete)
			combine(c, entry, parts, n);
	}
	if (!entry->n_cycles && !entry->why)
		entry->why =
			xstrdup(report->cut ? "the file ends inside the report"
					    : "the report does not say where the locks are acquired that are held");
	for (size_t i = 0; i < n; i++) {
		rfs_matched_release(&parts[i].held);
		rfs_matched_release(&parts[i].wanted);
	}
	free(parts);
}

/* ---- all reports ---- */

static void each_stack(const struct rfs_import_report *report,
		       void (*f)(void *arg, uint64_t process, const struct rfs_import_stack *stack), void *arg)
{
	for (size_t k = 0; k < report->n_accesses; k++)
		f(arg, report->process, &report->access[k].stack);
	for (size_t k = 0; k < report->n_parts; k++) {
		f(arg, report->process, &report->parts[k].held);
		f(arg, report->process, &report->parts[k].wanted);
	}
}

static void learn_stack(void *arg, uint64_t process, const struct rfs_import_stack *stack)
{
	rfs_match_learn(arg, process, stack);
}

struct counting {
	struct rfs_match *match;
	struct rfs_triage_entry *entry;
};

static void count_frames(void *arg, uint64_t process, const struct rfs_import_stack *stack)
{
	const struct counting *counting = arg;
	struct rfs_match *match = counting->match;
	struct rfs_triage_entry *entry = counting->entry;

	for (size_t i = 0; i < stack->n; i++) {
		const struct rfs_import_frame *frame = &stack->frames[i];
		bool found;

		if (rfs_import_is_tool(frame))
			continue;
		found = rfs_match_frame(match, process, frame);
		entry->frames_matched += found;
		/* Valgrind sometimes takes a value on the stack for a return address. Such a frame is in no module */
		entry->frames += found || frame->function || frame->file || frame->module;
	}
}

void rfs_triage_match(struct rfs_campaign *c)
{
	struct rfs_triage *triage = c->triage;
	struct rfs_match_input *modules = xcalloc(c->tally->n_modules + 1, sizeof(*modules));
	struct rfs_match *match;

	for (size_t i = 0; i < c->tally->n_modules; i++)
		modules[i] = (struct rfs_match_input){
			.path = c->tally->modules[i].path,
			.build_id = c->tally->modules[i].build_id,
			.watched = c->tally->modules[i].watched,
		};
	match = rfs_match_new(c->symbols, modules, c->tally->n_modules);
	for (size_t i = 0; i < triage->import->n; i++)
		each_stack(triage->entries[i].report, learn_stack, match);
	for (size_t i = 0; i < triage->import->n; i++) {
		struct rfs_triage_entry *entry = &triage->entries[i];
		const struct rfs_import_report *report = entry->report;
		struct counting counting = {match, entry};

		if (report->kind == RFS_IMPORT_RACE)
			match_race(c, match, entry);
		else if (report->kind == RFS_IMPORT_DEADLOCK)
			match_deadlock(c, match, entry);
		each_stack(report, count_frames, &counting);
	}
	rfs_match_free(match);
	free(modules);
}

unsigned long rfs_triage_unmatched(const struct rfs_triage *triage)
{
	unsigned long n = 0;

	for (size_t i = 0; i < triage->import->n; i++)
		n += triage->entries[i].why != NULL;
	return n;
}

/* ---- the report ---- */

/* "push at list.c:38" of the first frame that is not of the tool. Caller frees. */
static char *triage_place_text(const struct rfs_import_stack *stack)
{
	size_t i = rfs_import_first_own(stack);
	const struct rfs_import_frame *frame = i < stack->n ? &stack->frames[i] : NULL;
	char *name, *text;

	if (!frame)
		return xstrdup("an unknown place");
	name = frame->function ? rfs_function_bare_name(frame->function) : xstrdup("?");
	if (frame->line)
		text = xasprintf("%s at %s:%u", name, rfs_base_name(frame->file), frame->line);
	else if (frame->has_offset)
		text = xasprintf("%s at %s+0x%" PRIx64, name, rfs_base_name(frame->module), frame->offset);
	else
		text = xstrdup(name);
	free(name);
	return text;
}

/* What the report says, in one line. Caller frees. */
static char *what_text(const struct rfs_import_report *report)
{
	char *a, *b, *text;

	if (report->kind == RFS_IMPORT_DEADLOCK && report->n_parts) {
		a = triage_place_text(&report->parts[0].wanted);
		b = report->n_parts > 1 ? triage_place_text(&report->parts[1].wanted) : xstrdup("another order");
		text = xasprintf("%s, %s", a, b);
	} else if (report->kind == RFS_IMPORT_RACE && report->n_accesses) {
		a = triage_place_text(&report->access[0].stack);
		b = report->n_accesses > 1 ? triage_place_text(&report->access[1].stack) : xstrdup("another thread");
		text = xasprintf("%s %s, %s %s", report->access[0].writes ? "write" : "read", a,
				 report->n_accesses < 2	    ? "and"
				 : report->access[1].writes ? "write"
							    : "read",
				 b);
	} else {
		return xstrdup(report->title);
	}
	free(a);
	free(b);
	return text;
}

static bool triage_has_pair(const struct rfs_triage_entry *entry, const struct rfs_pair *pair)
{
	for (size_t i = 0; i < entry->n_pairs; i++)
		if (entry->pairs[i] == pair)
			return true;
	return false;
}

/* The runs that tried all pairs of the report among others, and created none. */
static uint64_t runs_that_tried(const struct rfs_triage_entry *entry)
{
	uint64_t runs = entry->n_pairs ? UINT64_MAX : 0;

	for (size_t i = 0; i < entry->n_pairs; i++) {
		const uint64_t of = rfs_joint_runs_in_vain(entry->pairs[i]);

		runs = of < runs ? of : runs;
	}
	return runs;
}

/* The worst pair of the report is its result. */
static void fill_pair(const struct rfs_campaign *c, const struct rfs_triage_entry *entry,
		      const struct rfs_report *report, struct rfs_report_triaged *out)
{
	const bool settled = rfs_surveyed_settles(&entry->surveyed), tried = runs_that_tried(entry) > 0;
	const struct rfs_report_pair *worst = NULL;

	for (size_t i = 0; i < c->pairs->n && i < report->n_pairs; i++) {
		const struct rfs_report_pair *pair = &report->pairs[i];

		if (!triage_has_pair(entry, c->pairs->list[i]) ||
		    (worst && (pair->verdict < worst->verdict ||
			       (pair->verdict == worst->verdict && pair->runs <= worst->runs))))
			continue;
		worst = pair;
		rfs_report_pair_id(&pair->statement[0].place, &pair->statement[1].place, out->id);
		out->runs = pair->runs;
		out->created = pair->confirmed;
		out->result = pair->identity.suppressed		     ? RFS_TRIAGED_SUPPRESSED
			      : pair->verdict == RFS_VERDICT_HARMFUL ? RFS_TRIAGED_HARMFUL
			      : pair->verdict == RFS_VERDICT_REAL    ? RFS_TRIAGED_REAL
			      : pair->verdict == RFS_VERDICT_UNCLEAR ? RFS_TRIAGED_UNCLEAR
			      : pair->runs || settled || tried	     ? RFS_TRIAGED_NOT_CREATED
								     : RFS_TRIAGED_NOT_TRIED;
	}
}

/* What a survey says of a report. A report of one access that it settles has no pair. */
static void fill_survey(const struct rfs_triage_entry *entry, struct rfs_report_triaged *out)
{
	if (!rfs_surveyed_settles(&entry->surveyed))
		return;
	out->surveyed = entry->surveyed.runs;
	if (!entry->n_pairs)
		out->result = RFS_TRIAGED_NOT_CREATED;
}

/* Why the race was not created, if a survey shows it; or how it was tried. */
static void triage_explain(const struct rfs_triage_entry *entry, struct rfs_report_triaged *out)
{
	const uint64_t runs = runs_that_tried(entry);

	if (out->result != RFS_TRIAGED_NOT_CREATED || out->why)
		return;
	out->why = rfs_surveyed_text(&entry->surveyed, !entry->n_pairs);
	out->tried = runs;
	if (!out->why && runs)
		out->why = xasprintf("not created in %" PRIu64 " run%s that tried several reports at once", runs,
				     rfs_plural(runs));
}

void rfs_triage_report(const struct rfs_campaign *c, struct rfs_report *report)
{
	const struct rfs_triage *triage = c->triage;
	struct rfs_report_triage *out = &report->triage;

	out->file = xstrdup(c->options->pairs);
	out->first = c->options->triage != NULL;
	out->note = triage->import->note ? xstrdup(triage->import->note) : NULL;
	for (size_t i = 0; i < triage->import->n; i++) {
		const struct rfs_triage_entry *entry = &triage->entries[i];
		struct rfs_report_triaged *added = rfs_report_add_triaged(out);
		bool suppressed = false;

		added->tool = rfs_import_tool_name(entry->report->tool);
		added->title = xstrdup(entry->report->title);
		added->what = what_text(entry->report);
		added->line = entry->report->line;
		added->count = entry->report->count;
		added->frames = entry->frames;
		added->frames_matched = entry->frames_matched;
		added->why = entry->why ? xstrdup(entry->why) : NULL;
		added->result = entry->report->kind == RFS_IMPORT_OTHER ? RFS_TRIAGED_OTHER : RFS_TRIAGED_NOT_MATCHED;
		fill_survey(entry, added);
		if (added->result != RFS_TRIAGED_OTHER && !entry->why)
			added->how = rfs_match_how_text(entry->how);
		if (entry->n_pairs)
			fill_pair(c, entry, report, added);
		for (size_t k = 0; k < entry->n_cycles; k++) {
			added->runs += entry->cycles[k]->runs;
			added->created += entry->cycles[k]->created;
			suppressed |= entry->cycles[k]->suppressed != 0;
		}
		if (entry->n_cycles)
			added->result = added->created ? RFS_TRIAGED_HARMFUL
					: added->runs  ? RFS_TRIAGED_NOT_CREATED
					: suppressed   ? RFS_TRIAGED_SUPPRESSED
						       : RFS_TRIAGED_NOT_TRIED;
		triage_explain(entry, added);
	}
}
