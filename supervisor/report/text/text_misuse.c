/* text_misuse.c - writes wrong uses of the thread library, as lines of the summary. */
#include "supervisor/report/text/text_misuse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/text/plural.h"
#include "supervisor/record/misuse.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_misuse.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/symbols/source_place.h"

/* How many misuses the text shows; the JSON has all. */
#define MISUSES_SHOWN 4

/* callers: how many of the functions that called the first one are named too. */
static void put_at(struct rfs_text *text, const struct rfs_source_stack *stack, size_t callers)
{
	const size_t first = rfs_source_stack_first_own(stack);

	for (size_t i = first; i <= first + callers && i < stack->n_frames; i++) {
		char *place = rfs_text_place(text, &stack->frames[i]);

		if (stack->frames[i].function)
			rfs_text_put(text, ", %s %s", i == first ? "in" : "called by", stack->frames[i].function);
		rfs_text_put(text, " at %s", place);
		free(place);
	}
}

static bool is_same_line(const struct rfs_source_place *a, const struct rfs_source_place *b)
{
	return strcmp(a->file, b->file) == 0 && a->line == b->line;
}

/* How many callers have to be named to tell the two stacks apart: both may call the same function of the program. */
static size_t callers_needed(const struct rfs_source_stack *a, const struct rfs_source_stack *b)
{
	const size_t first_a = rfs_source_stack_first_own(a), first_b = rfs_source_stack_first_own(b);

	for (size_t n = 0; first_a + n < a->n_frames && first_b + n < b->n_frames; n++) {
		const struct rfs_source_place *x = &a->frames[first_a + n], *y = &b->frames[first_b + n];

		if (!x->file || !y->file)
			return 0;
		if (!is_same_line(x, y))
			return n;
	}
	return 0;
}

static void text_misuse_put_misuse(struct rfs_text *text, const struct rfs_report_misuse *misuse)
{
	const size_t callers = callers_needed(&misuse->stack, &misuse->earlier);

	rfs_text_put(text, "misuse      thread %d %s", misuse->thread, misuse->what);
	if (misuse->stack.n_frames)
		put_at(text, &misuse->stack, callers);
	rfs_text_put(text, " (%" PRIu64 " run%s)\n", misuse->runs, rfs_plural(misuse->runs));
	if (!misuse->earlier.n_frames)
		return;
	rfs_text_put(text, "            thread %d %s", misuse->other >= 0 ? misuse->other : misuse->thread,
		     rfs_misuse_earlier_verb(misuse->earlier_is));
	put_at(text, &misuse->earlier, callers);
	rfs_text_put(text, "\n");
}

void rfs_text_put_misuses(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_misuses *misuses = &report->misuses;
	size_t shown = 0;

	for (size_t i = 0; i < misuses->n; i++)
		if (!misuses->list[i].identity.suppressed && shown++ < MISUSES_SHOWN)
			text_misuse_put_misuse(text, &misuses->list[i]);
	if (shown > MISUSES_SHOWN)
		rfs_text_put(text, "            %zu more misuses are in the JSON report\n", shown - MISUSES_SHOWN);
}
