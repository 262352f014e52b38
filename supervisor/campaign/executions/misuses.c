/* misuses.c - joins equal misuses of runs, and puts them into the report. state/findings/misuse.c finds them. */
#include "supervisor/campaign/executions/misuses.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/dwarf/dwarf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/run_result.h"
#include "supervisor/report/data/report_misuse.h"
#include "supervisor/symbols/symbolize.h"

/* The most mistakes that a campaign keeps. Each is at a different place of the program. */
#define MISUSES_MAX 256

/* Only runs that predict keep the stacks of objects. */
static void know_more(struct rfs_misuse *misuse, const struct rfs_misuse *other)
{
	rfs_misuse_release(misuse);
	rfs_misuse_copy(other, misuse);
}

void rfs_misuses_note(struct rfs_misuses *misuses, uint64_t seed, const struct rfs_run_result *result)
{
	for (size_t i = 0; i < result->n_misuses; i++) {
		size_t at = 0;

		while (at < misuses->n && !rfs_misuse_is_same(&misuses->list[at].misuse, &result->misuses[i]))
			at++;
		if (at == MISUSES_MAX)
			continue;
		if (at == misuses->n) {
			misuses->list = xreallocarray(misuses->list, misuses->n + 1, sizeof(*misuses->list));
			misuses->list[misuses->n] = (struct rfs_seen_misuse){.seed = seed};
			rfs_misuse_copy(&result->misuses[i], &misuses->list[misuses->n++].misuse);
		} else if (result->misuses[i].n_earlier > misuses->list[at].misuse.n_earlier)
			know_more(&misuses->list[at].misuse, &result->misuses[i]);
		misuses->list[at].runs++;
	}
}

/* "unlocks the lock in queue, which no thread holds". Caller frees. */
static char *what(const struct rfs_misuse *misuse, struct rfs_symbols *symbols)
{
	char *object = misuse->object.address ? rfs_symbols_object(symbols, &misuse->object, NULL) : NULL;
	const char *error = rfs_misuse_error_name(misuse->error), *verb = rfs_misuse_verb(misuse->kind);
	char *why = misuse->kind == RFS_MISUSE_WRONG_TYPE
			    ? xasprintf("which is %s, as %s", rfs_object_type_name(misuse->is),
					rfs_object_type_name(misuse->used_as))
			    : xstrdup(rfs_misuse_why(misuse->kind));
	char *text;

	if (error && misuse->error != EDEADLK) {
		free(why);
		why = xasprintf("gets %s and ignores the error", error);
		verb = object ? "uses" : "creates a thread";
	}
	text = xasprintf("%s%s%s, %s", verb, object ? " " : "", object ? object : "", why);
	free(why);
	free(object);
	return text;
}

/*
 * Whether the object is still the one of which the misuse says what was done before. On a stack, another variable may
 * have the same place.
 */
static bool misuses_is_same_object(const struct rfs_misuse *misuse, struct rfs_symbols *symbols)
{
	const struct rfs_place *now = &misuse->object.place, *before = &misuse->earlier_frame;
	const struct rfs_dwarf *dwarf;

	if (!before->module)
		return true;
	if (!now->module || strcmp(now->module, before->module) != 0)
		return false;
	dwarf = rfs_symbols_dwarf(symbols, now->module);
	return dwarf && rfs_dwarf_same_local(dwarf, before->offset, now->offset, -(int64_t)misuse->object.below_cfa);
}

void rfs_misuses_report(const struct rfs_misuses *misuses, struct rfs_symbols *symbols, struct rfs_report_misuses *out)
{
	for (size_t i = 0; i < misuses->n; i++) {
		const struct rfs_seen_misuse *seen = &misuses->list[i];
		struct rfs_report_misuse *added;

		if (!misuses_is_same_object(&seen->misuse, symbols))
			continue;
		added = rfs_report_misuse_add(out);
		added->kind = rfs_misuse_name(seen->misuse.kind);
		added->what = what(&seen->misuse, symbols);
		added->thread = seen->misuse.thread;
		added->other = seen->misuse.other;
		added->runs = seen->runs;
		added->seed = seen->seed;
		if (seen->misuse.n_stack)
			rfs_symbols_stack(symbols, seen->misuse.stack, seen->misuse.n_stack, &added->stack);
		added->error = rfs_misuse_error_name(seen->misuse.error);
		added->earlier_is = seen->misuse.earlier_is;
		if (seen->misuse.n_earlier)
			rfs_symbols_stack(symbols, seen->misuse.earlier, seen->misuse.n_earlier, &added->earlier);
	}
}

void rfs_misuses_release(struct rfs_misuses *misuses)
{
	for (size_t i = 0; i < misuses->n; i++)
		rfs_misuse_release(&misuses->list[i].misuse);
	free(misuses->list);
	*misuses = (struct rfs_misuses){0};
}
