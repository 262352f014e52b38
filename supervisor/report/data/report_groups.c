/* report_groups.c - joins findings that have a cause in common, and sorts the groups. */
#include "supervisor/report/data/report_groups.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/symbols/source_place.h"

struct rfs_report_shown *rfs_report_item_shown(const struct rfs_report_item *item)
{
	return item->pair	? &item->pair->shown
	       : item->deadlock ? &item->deadlock->run.shown
				: &item->failure->run.shown;
}

const char *rfs_report_item_record(const struct rfs_report_item *item)
{
	return item->pair	? item->pair->record
	       : item->deadlock ? item->deadlock->run.record
				: item->failure->run.record;
}

struct rfs_report_identity *rfs_report_item_identity(const struct rfs_report_item *item)
{
	return item->pair	? &item->pair->identity
	       : item->deadlock ? &item->deadlock->identity
				: &item->failure->identity;
}

/* Removes from `text` the first part that begins with `from` and ends before `to`. */
static void cut(char *text, const char *from, const char *to)
{
	char *begin = strstr(text, from), *end = begin ? strstr(begin + strlen(from), to) : NULL;

	if (end)
		memmove(begin, end, strlen(end) + 1);
}

static bool report_groups_begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/*
 * The variable or block of a race, without the member, index or offset in it. NULL: it has no name that means the same
 * for another race. Caller frees.
 */
static char *block_of(const struct rfs_report_pair *pair)
{
	char *text;

	if (!pair->variable || report_groups_begins(pair->variable, "0x") ||
	    report_groups_begins(pair->variable, "stack of thread") || report_groups_begins(pair->variable, "a stack"))
		return NULL;
	text = xstrdup(pair->variable);
	if (strstr(text, ", allocated")) {
		char *of = strstr(text, " of ");

		if (report_groups_begins(text, "heap block"))
			cut(text, " + ", ",");
		else if (of && of < strstr(text, ", allocated"))
			memmove(text, of, strlen(of) + 1);
		cut(text, " by thread", " at ");
		/* many blocks are allocated at a line of a library */
		if (pair->allocated.n_frames && !rfs_source_place_is_foreign(&pair->allocated.frames[0]))
			return text;
		free(text);
		return NULL;
	}
	/* "libz.so.1+0x4711" is a place in a module, so it has no members */
	if (!strstr(text, "+0x"))
		text[strcspn(text, ".[ ")] = '\0';
	return text;
}

const struct rfs_source_place *rfs_report_own_place(const struct rfs_report_statement *statement)
{
	const struct rfs_source_stack *stack = &statement->stack;

	if (!stack->n_frames || !rfs_source_place_is_foreign(&statement->place))
		return &statement->place;
	return &stack->frames[rfs_source_stack_first_own(stack)];
}

static const char *report_groups_function_of(const struct rfs_report_statement *statement)
{
	const struct rfs_source_place *place = rfs_report_own_place(statement);

	return place->function ? place->function : place->near;
}

/* The function, without the offset of "near deflate+0x1a0"; if it has no name, the place. Caller frees. */
static char *function_name(const struct rfs_report_statement *statement)
{
	const struct rfs_source_place *place = rfs_report_own_place(statement);
	char *text;

	if (place->function)
		return xstrdup(place->function);
	if (!place->near)
		return xasprintf("%s+0x%" PRIx64, place->module ? place->module : "", place->offset);
	text = xstrdup(place->near);
	text[strcspn(text, "+")] = '\0';
	return text;
}

char *rfs_report_pair_cause(const struct rfs_report_pair *pair)
{
	char *functions[2] = {function_name(&pair->statement[0]), function_name(&pair->statement[1])},
	     *block = block_of(pair);
	const int first = strcmp(functions[0], functions[1]) > 0;
	/* without a name: other memory of these functions is as likely as any */
	char *cause = xasprintf("%s\n%s\n%s", functions[first], functions[1 - first], block ? block : "");

	free(functions[0]);
	free(functions[1]);
	free(block);
	return cause;
}

static bool report_groups_equal(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static bool same_functions(const struct rfs_report_pair *a, const struct rfs_report_pair *b)
{
	const char *x[2] = {report_groups_function_of(&a->statement[0]), report_groups_function_of(&a->statement[1])};
	const char *y[2] = {report_groups_function_of(&b->statement[0]), report_groups_function_of(&b->statement[1])};

	return (report_groups_equal(x[0], y[0]) && report_groups_equal(x[1], y[1])) ||
	       (report_groups_equal(x[0], y[1]) && report_groups_equal(x[1], y[0]));
}

static bool same_stack(const struct rfs_source_stack *a, const struct rfs_source_stack *b)
{
	bool same = a->n_frames && a->n_frames == b->n_frames;

	for (size_t i = 0; same && i < a->n_frames; i++)
		same = a->frames[i].offset == b->frames[i].offset &&
		       report_groups_equal(a->frames[i].module, b->frames[i].module);
	return same;
}

/*
 * Whether the program fails like this after the use of a freed block. If the program fails with either order of the
 * free and the use, the test of the orders attributes the failure to neither.
 */
static bool fails_after_free(const struct rfs_report_pair *pair, const struct rfs_report_failure *failure)
{
	return pair->kind == RFS_FAILURE_USE_AFTER_FREE && !failure->plain &&
	       same_stack(&pair->shown.stack, &failure->run.shown.stack);
}

static bool report_groups_same_cause(const struct rfs_report_item *a, const struct rfs_report_item *b)
{
	bool same;
	char *x, *y;

	if (report_groups_equal(rfs_report_item_record(a), rfs_report_item_record(b)))
		return true;
	if (a->pair && b->failure)
		return fails_after_free(a->pair, b->failure);
	if (a->failure && b->pair)
		return fails_after_free(b->pair, a->failure);
	if (!a->pair || !b->pair)
		return false;
	if (same_functions(a->pair, b->pair))
		return true;
	x = block_of(a->pair);
	y = block_of(b->pair);
	same = report_groups_equal(x, y);
	free(x);
	free(y);
	return same;
}

static bool belongs(const struct rfs_report_group *group, const struct rfs_report_item *item)
{
	for (size_t i = 0; i < group->n; i++)
		if (report_groups_same_cause(&group->items[i], item))
			return true;
	return false;
}

static void report_groups_append(struct rfs_report_group *group, const struct rfs_report_item *items, size_t n)
{
	group->items = xreallocarray(group->items, group->n + n, sizeof(*group->items));
	memcpy(group->items + group->n, items, n * sizeof(*items));
	group->n += n;
}

/* Adds an item to the first group that it belongs to. All other groups that it belongs to become a part of that one. */
static void report_groups_add(struct rfs_report_groups *groups, struct rfs_report_item item)
{
	struct rfs_report_group *home = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < groups->n; i++) {
		struct rfs_report_group group = groups->list[i];

		if (!belongs(&group, &item)) {
			groups->list[kept++] = group;
		} else if (!home) {
			groups->list[kept] = group;
			home = &groups->list[kept++];
		} else {
			report_groups_append(home, group.items, group.n);
			free(group.items);
		}
	}
	groups->n = kept;
	if (!home) {
		groups->list = xreallocarray(groups->list, groups->n + 1, sizeof(*groups->list));
		home = &groups->list[groups->n++];
		*home = (struct rfs_report_group){0};
	}
	report_groups_append(home, &item, 1);
}

/*
 * How much a race explains. The first ones are added first. A block that is freed too early or read past its end is
 * often the consequence of another race of the same run, so races with a free come after others that fail in the same
 * way.
 */
enum weight { HARMFUL, HARMFUL_FREE, FAILS, FAILS_FREE, PASSES };

static enum weight report_groups_weight_of(const struct rfs_report_pair *pair)
{
	bool frees = (pair->statement[0].access | pair->statement[1].access) & RFS_ACCESS_FREE;

	if (pair->verdict == RFS_VERDICT_HARMFUL)
		return frees ? HARMFUL_FREE : HARMFUL;
	if (pair->failed)
		return frees ? FAILS_FREE : FAILS;
	return PASSES;
}

static void report_groups_add_pairs(const struct rfs_report *report, enum weight weight, struct rfs_report_groups *out)
{
	for (size_t i = 0; i < report->n_pairs; i++) {
		struct rfs_report_pair *pair = &report->pairs[i];

		if (rfs_verdict_words(pair->verdict)->finding && !pair->identity.suppressed &&
		    report_groups_weight_of(pair) == weight)
			report_groups_add(out, (struct rfs_report_item){.pair = pair});
	}
}

void rfs_report_groups_make(const struct rfs_report *report, struct rfs_report_groups *out)
{
	*out = (struct rfs_report_groups){0};
	report_groups_add_pairs(report, HARMFUL, out);
	report_groups_add_pairs(report, HARMFUL_FREE, out);
	for (size_t i = 0; i < report->n_deadlocks; i++)
		if (report->deadlocks[i].run.replayed != RFS_REPLAY_DIFFERENT &&
		    !report->deadlocks[i].identity.suppressed)
			report_groups_add(out, (struct rfs_report_item){.deadlock = &report->deadlocks[i]});
	/* the race of a failed run likely says more than where it failed; other races matter less than failures */
	report_groups_add_pairs(report, FAILS, out);
	report_groups_add_pairs(report, FAILS_FREE, out);
	for (size_t i = 0; i < report->n_failures; i++)
		if (rfs_failure_is_finding(&report->failures[i]))
			report_groups_add(out, (struct rfs_report_item){.failure = &report->failures[i]});
	report_groups_add_pairs(report, PASSES, out);
}

size_t rfs_report_groups_drop_known(struct rfs_report_groups *groups)
{
	size_t kept = 0, n = groups->n;

	for (size_t i = 0; i < n; i++)
		if (rfs_report_item_identity(&groups->list[i].items[0])->known)
			free(groups->list[i].items);
		else
			groups->list[kept++] = groups->list[i];
	groups->n = kept;
	return n - kept;
}

void rfs_report_groups_release(struct rfs_report_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++)
		free(groups->list[i].items);
	free(groups->list);
	*groups = (struct rfs_report_groups){0};
}
