/*
 * suppress.c - makes views of predictions and findings for import/suppression_match.c, and notes which block fits.
 * Nothing is removed.
 */
#include "supervisor/campaign/predicted/suppress.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/campaign/executions/campaign_state.h"
#include "supervisor/campaign/predicted/cycles.h"
#include "supervisor/campaign/predicted/pair_list.h"
#include "supervisor/campaign/predicted/violations.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/campaign/settings/settings.h"
#include "supervisor/import/function_name.h"
#include "supervisor/import/scope.h"
#include "supervisor/import/suppressions.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/place.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* A statement of so many instructions is tested, because comparing all of them would take long. */
#define SITES_MAX 16

/* The stacks of something that may be suppressed. */
struct view {
	struct rfs_suppressible what;
	struct rfs_suppressible_stack *stacks;
	struct rfs_source_stack *owned; /* the strings of the stacks that suppress_add_site() made */
	size_t n_owned;
};

static bool same_place(const struct rfs_source_place *a, const struct rfs_source_place *b)
{
	return a->offset == b->offset && a->module && b->module && strcmp(a->module, b->module) == 0;
}

/* returns: the place is a return address, so its function is that of the call before it. */
static const char *symbol_of(struct rfs_symbols *symbols, const struct rfs_source_place *place, bool returns)
{
	const struct rfs_elf *elf = place->module ? rfs_symbols_elf(symbols, place->module) : NULL;
	const struct rfs_function *function =
		elf ? rfs_elf_function_at(elf, place->offset - (returns && place->offset)) : NULL;

	return function ? function->name : NULL;
}

/* Adds a stack whose strings stay valid until the view is released. */
static void add_stack(struct rfs_campaign *c, struct view *view, const struct rfs_source_stack *from, bool cut)
{
	struct rfs_suppressible_stack *stack;
	bool returns = false;

	view->stacks = xreallocarray(view->stacks, view->what.n_stacks + 1, sizeof(*view->stacks));
	stack = &view->stacks[view->what.n_stacks++];
	*stack = (struct rfs_suppressible_stack){
		.frames = xcalloc(from->n_frames + 1, sizeof(*stack->frames)), .n = from->n_frames, .cut = cut};
	view->what.stacks = view->stacks;
	for (size_t i = 0; i < from->n_frames; i++) {
		const struct rfs_source_place *place = &from->frames[i];
		const bool inlined = i + 1 < from->n_frames && same_place(place, place + 1);

		stack->frames[i] = (struct rfs_suppressible_frame){
			.function = place->function,
			.bare = place->function ? rfs_function_bare_name(place->function) : NULL,
			.symbol = inlined ? NULL : symbol_of(c->symbols, place, returns),
			.file = place->file,
			.module = place->module,
			.line = place->line,
			.inlined = inlined,
		};
		returns |= !inlined;
	}
}

/* Adds an instruction, with the functions that are inlined there. Its callers are not known. */
static void suppress_add_site(struct rfs_campaign *c, struct view *view, const char *module, uint64_t offset)
{
	const struct rfs_place place = {.module = (char *)module, .offset = offset};
	struct rfs_source_stack *stack;

	view->owned = xreallocarray(view->owned, view->n_owned + 1, sizeof(*view->owned));
	stack = &view->owned[view->n_owned++];
	*stack = (struct rfs_source_stack){0};
	rfs_symbols_stack(c->symbols, &place, 1, stack);
	add_stack(c, view, stack, true);
}

static void release_view(struct view *view)
{
	for (size_t i = 0; i < view->what.n_stacks; i++) {
		for (size_t k = 0; k < view->stacks[i].n; k++)
			free((char *)view->stacks[i].frames[k].bare);
		free(view->stacks[i].frames);
	}
	for (size_t i = 0; i < view->n_owned; i++)
		rfs_source_stack_release(&view->owned[i]);
	free(view->stacks);
	free(view->owned);
}

static size_t n_suppressions(const struct rfs_campaign *c)
{
	return c->settings->suppressions ? c->settings->suppressions->n : 0;
}

/* Looks for a suppression that fits, and releases the view. The number of the suppression from 1; 0: none fits. */
static size_t suppress_look(struct rfs_campaign *c, struct view *view)
{
	const size_t found = rfs_suppressions_find(c->settings->suppressions, &view->what);

	release_view(view);
	return found < n_suppressions(c) ? found + 1 : 0;
}

/* The same for a prediction. The numbers of what the scope leaves out follow those of the suppressions. */
static size_t look_before(struct rfs_campaign *c, struct view *view)
{
	const struct rfs_scope *scope = c->settings->scope;
	const size_t left_out = scope ? rfs_scope_leaves_out(scope, &view->what) : 0;

	if (!left_out && n_suppressions(c))
		return suppress_look(c, view);
	release_view(view);
	return left_out ? n_suppressions(c) + left_out : 0;
}

static bool has_scope(const struct rfs_campaign *c)
{
	const struct rfs_scope *scope = c->settings->scope;

	return scope && scope->n_only + scope->n_skip > 0;
}

/* Whether nothing is hidden. */
static bool idle(const struct rfs_campaign *c)
{
	return !n_suppressions(c) && !has_scope(c);
}

/* ---- before the first run ---- */

static size_t look_at_sites(struct rfs_campaign *c, const struct rfs_site_ref *a, const struct rfs_site_ref *b,
			    const char *variable)
{
	struct view view = {.what = {.kind = RFS_SUPPRESSIBLE_RACE, .variable = variable}};

	suppress_add_site(c, &view, a->module, a->offset);
	suppress_add_site(c, &view, b->module, b->offset);
	return look_before(c, &view);
}

size_t rfs_suppress_pair(struct rfs_campaign *c, const struct rfs_pair *pair)
{
	const struct rfs_statement *a = &pair->statements.statement[0], *b = &pair->statements.statement[1];
	char *variable = NULL;
	size_t found = 0;

	if (idle(c) || a->n_sites * b->n_sites > SITES_MAX)
		return 0;
	for (int k = 0; k < 2 && !variable && pair->predicted; k++)
		variable = rfs_symbols_object(c->symbols, &pair->evidence.side[k].object, NULL);
	/* a statement that the user named may have several instructions; then all must be suppressed */
	for (size_t i = 0; i < a->n_sites; i++)
		for (size_t k = 0; k < b->n_sites; k++) {
			found = look_at_sites(c, &a->sites[i], &b->sites[k], variable);
			if (!found)
				i = a->n_sites - 1, k = b->n_sites - 1;
		}
	free(variable);
	return found;
}

/* A return address belongs to the call before it. */
static void suppress_add_lock(struct rfs_campaign *c, struct view *view, const struct rfs_cycle_lock *lock)
{
	if (lock->site.module)
		suppress_add_site(c, view, lock->site.module, lock->site.offset - (!lock->word && lock->site.offset));
}

size_t rfs_suppress_cycle(struct rfs_campaign *c, const struct rfs_predicted_cycle *cycle)
{
	struct view view = {.what = {.kind = RFS_SUPPRESSIBLE_DEADLOCK}};
	char *variable;
	size_t found;

	if (idle(c) || !cycle->cycle.n)
		return 0;
	for (size_t i = 0; i < cycle->cycle.n; i++) {
		suppress_add_lock(c, &view, &cycle->cycle.parts[i].wanted);
		suppress_add_lock(c, &view, &cycle->cycle.parts[i].held);
	}
	variable = rfs_symbols_object(c->symbols, &cycle->cycle.parts[0].wanted.object, NULL);
	view.what.variable = variable;
	found = look_before(c, &view);
	free(variable);
	return found;
}

size_t rfs_suppress_violation(struct rfs_campaign *c, const struct rfs_predicted_violation *violation)
{
	const struct rfs_violation_access *const accesses[] = {
		&violation->violation.first, &violation->violation.remote, &violation->violation.second,
		&violation->violation.also};
	struct view view = {.what = {.kind = RFS_SUPPRESSIBLE_ATOMICITY}};
	char *variable;
	size_t found;

	if (idle(c))
		return 0;
	for (int i = 0; i < (rfs_atomicity_is_double(violation->violation.pattern) ? 4 : 3); i++)
		suppress_add_site(c, &view, accesses[i]->site.module, accesses[i]->site.offset);
	variable = violation->violation.first.thread >= 0
			   ? rfs_symbols_object(c->symbols, &violation->violation.data, NULL)
			   : NULL;
	view.what.variable = variable;
	found = look_before(c, &view);
	free(variable);
	return found;
}

/* ---- the report ---- */

/* A race that was created is compared with its stacks. A failure is never hidden. */
static size_t look_at_reported(struct rfs_campaign *c, const struct rfs_report_pair *pair)
{
	struct view view = {.what = {.kind = RFS_SUPPRESSIBLE_RACE, .variable = pair->variable}};

	if (pair->verdict == RFS_VERDICT_HARMFUL || !n_suppressions(c))
		return 0;
	for (int k = 0; k < 2; k++)
		add_stack(c, &view, &pair->statement[k].stack, false);
	return suppress_look(c, &view);
}

static size_t look_at_deadlock(struct rfs_campaign *c, const struct rfs_report_deadlock *deadlock)
{
	struct view view = {.what = {.kind = RFS_SUPPRESSIBLE_DEADLOCK}};

	for (size_t i = 0; i < deadlock->n_threads; i++) {
		const struct rfs_report_waiter *waiter = &deadlock->threads[i];

		add_stack(c, &view, &waiter->stack, false);
		for (size_t k = 0; k < waiter->n_acquired; k++)
			add_stack(c, &view, &waiter->acquired[k].stack, false);
	}
	return suppress_look(c, &view);
}

static size_t look_at_misuse(struct rfs_campaign *c, const struct rfs_report_misuse *misuse)
{
	struct view view = {.what = {.kind = RFS_SUPPRESSIBLE_MISUSE, .misuse = misuse->kind}};

	add_stack(c, &view, &misuse->stack, false);
	return suppress_look(c, &view);
}

static void list_suppressions(const struct rfs_suppressions *from, struct rfs_report_suppressions *out)
{
	for (size_t i = 0; i < from->n; i++) {
		struct rfs_report_suppression *added = rfs_report_add_suppression(out);

		added->name = xstrdup(rfs_suppression_name(from->list[i]));
		added->file = xstrdup(rfs_suppression_file(from->list[i]));
		added->line = rfs_suppression_line(from->list[i]);
		added->own = rfs_suppression_is_own(from->list[i]);
	}
}

static void list_option(struct rfs_report_suppressions *out, char *name)
{
	struct rfs_report_suppression *added = rfs_report_add_suppression(out);

	added->name = name;
	/* only what was left out is said: each pattern names something */
	added->own = true;
}

static void list_scope(const struct rfs_options *options, const struct rfs_scope *scope,
		       struct rfs_report_suppressions *out)
{
	list_option(out, options->changed && options->only[0]
				 ? xasprintf("not in --changed %s or --only", options->changed)
			 : options->changed ? xasprintf("not in --changed %s", options->changed)
					    : xstrdup("not in --only"));
	for (size_t i = 0; i < scope->n_skip; i++)
		list_option(out, xasprintf("--skip %s", scope->skip[i].text));
}

void rfs_suppress_report(struct rfs_campaign *c, struct rfs_report *report)
{
	struct rfs_report_suppressions *out = &report->suppressions;

	if (n_suppressions(c))
		list_suppressions(c->settings->suppressions, out);
	if (has_scope(c))
		list_scope(c->options, c->settings->scope, out);
	for (size_t i = 0; i < report->n_pairs && !idle(c); i++) {
		size_t number = c->pairs->list[i]->suppressed;

		if (!number)
			number = look_at_reported(c, &report->pairs[i]);
		report->pairs[i].identity.suppressed = number;
		if (number)
			out->list[number - 1].races++;
	}
	for (size_t i = 0; i < report->n_deadlocks && n_suppressions(c); i++) {
		const size_t number = look_at_deadlock(c, &report->deadlocks[i]);

		report->deadlocks[i].identity.suppressed = number;
		if (number)
			out->list[number - 1].deadlocks++;
	}
	for (size_t i = 0; i < report->misuses.n && n_suppressions(c); i++) {
		const size_t number = look_at_misuse(c, &report->misuses.list[i]);

		report->misuses.list[i].identity.suppressed = number;
		if (number)
			out->list[number - 1].misuses++;
	}
	for (size_t i = 0; i < report->cycles.n; i++)
		if (report->cycles.list[i].suppressed)
			out->list[report->cycles.list[i].suppressed - 1].deadlocks++;
	for (size_t i = 0; i < report->violations.n; i++)
		if (report->violations.list[i].suppressed)
			out->list[report->violations.list[i].suppressed - 1].violations++;
	if (c->options->gen_suppressions)
		out->generated = rfs_suppress_generate(c, report);
}
