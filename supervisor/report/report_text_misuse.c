/* report_text_misuse.c - writes wrong uses of the thread library, as lines of the summary. */
#include "supervisor/base/plural.h"
#include "supervisor/report/report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "supervisor/record/misuse.h"
#include "supervisor/report/report_misuse.h"
#include "supervisor/report/report_text-priv.h"
#include "supervisor/symbols/source_place.h"

/* How many misuses the text shows; the JSON has all. */
#define MISUSES_SHOWN 4

static void put_at(struct rfs_text *text, const struct rfs_source_stack *stack)
{
	const struct rfs_source_place *own = &stack->frames[rfs_source_stack_first_own(stack)];
	char *place = rfs_text_place(text, own);

	if (own->function)
		rfs_text_put(text, ", in %s", own->function);
	rfs_text_put(text, " at %s", place);
	free(place);
}

static void put_misuse(struct rfs_text *text, const struct rfs_report_misuse *misuse)
{
	rfs_text_put(text, "misuse      thread %d %s", misuse->thread, misuse->what);
	if (misuse->stack.n_frames)
		put_at(text, &misuse->stack);
	rfs_text_put(text, " (%" PRIu64 " run%s)\n", misuse->runs, rfs_plural(misuse->runs));
	if (!misuse->earlier.n_frames)
		return;
	rfs_text_put(text, "            thread %d %s", misuse->other >= 0 ? misuse->other : misuse->thread,
		     rfs_misuse_earlier_verb(misuse->earlier_is));
	put_at(text, &misuse->earlier);
	rfs_text_put(text, "\n");
}

void rfs_text_put_misuses(struct rfs_text *text, const struct rfs_report *report)
{
	const struct rfs_report_misuses *misuses = &report->misuses;
	size_t shown = 0;

	for (size_t i = 0; i < misuses->n; i++)
		if (!misuses->list[i].identity.suppressed && shown++ < MISUSES_SHOWN)
			put_misuse(text, &misuses->list[i]);
	if (shown > MISUSES_SHOWN)
		rfs_text_put(text, "            %zu more misuses are in the JSON report\n", shown - MISUSES_SHOWN);
}
