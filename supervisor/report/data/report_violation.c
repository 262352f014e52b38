/* report_violation.c - predicted atomicity and order violations in a report, as data. */
#include "supervisor/report/data/report_violation.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"

struct rfs_report_violation *rfs_report_add_violation(struct rfs_report_violations *violations)
{
	violations->list = xreallocarray(violations->list, violations->n + 1, sizeof(*violations->list));
	violations->list[violations->n] = (struct rfs_report_violation){0};
	return &violations->list[violations->n++];
}

void rfs_report_violations_release(struct rfs_report_violations *violations)
{
	for (size_t i = 0; i < violations->n; i++) {
		struct rfs_report_violation *violation = &violations->list[i];

		rfs_source_place_release(&violation->first.place);
		rfs_source_place_release(&violation->remote.place);
		rfs_source_place_release(&violation->second.place);
		rfs_source_place_release(&violation->also.place);
		free(violation->beside);
		free(violation->variable);
		free(violation->lock);
		free(violation->detail);
	}
	free(violations->list);
	*violations = (struct rfs_report_violations){0};
}

static bool names(const struct rfs_report_violation *violation, const char *variable)
{
	return (violation->variable && strcmp(violation->variable, variable) == 0) ||
	       (violation->beside && strcmp(violation->beside, variable) == 0);
}

/* Whether a is another sign of b: its failure is the same, and its variables are among those of b. */
static bool is_sign_of(const struct rfs_report_violation *a, const struct rfs_report_violation *b)
{
	return b->is_double && b->harmful && !b->shown_by && a->harmful && a->finding && a->finding == b->finding &&
	       a->variable && names(b, a->variable) && (!a->beside || names(b, a->beside));
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_line(const struct rfs_source_place *a, const struct rfs_source_place *b)
{
	return a->line == b->line && same_text(a->file, b->file) && same_text(a->function, b->function) &&
	       (a->file || a->offset == b->offset);
}

/*
 * Whether a is b by other instructions of the same lines: of an unrolled loop, or of a function that is inlined several
 * times. For the reader they are one.
 */
static bool is_repeat_of(const struct rfs_report_violation *a, const struct rfs_report_violation *b)
{
	return b->harmful && !b->shown_by && a->harmful && a->finding && a->finding == b->finding &&
	       a->order == b->order && a->is_double == b->is_double && same_text(a->pattern, b->pattern) &&
	       same_text(a->variable, b->variable) && same_text(a->beside, b->beside) &&
	       same_line(&a->first.place, &b->first.place) && same_line(&a->second.place, &b->second.place) &&
	       same_line(&a->remote.place, &b->remote.place) && same_line(&a->also.place, &b->also.place);
}

void rfs_report_violations_join(struct rfs_report_violations *violations)
{
	for (size_t i = 0; i < violations->n; i++)
		for (size_t k = 0; k < violations->n && !violations->list[k].shown_by; k++)
			if (k != i && is_sign_of(&violations->list[k], &violations->list[i]))
				violations->list[k].shown_by = i + 1;
	for (size_t i = 0; i < violations->n; i++)
		for (size_t k = i + 1; k < violations->n; k++)
			if (!violations->list[k].shown_by && is_repeat_of(&violations->list[k], &violations->list[i]))
				violations->list[k].shown_by = i + 1;
}

struct rfs_violation_counts rfs_report_violations_count(const struct rfs_report_violations *violations, bool order)
{
	struct rfs_violation_counts counts = {0};

	for (size_t i = 0; i < violations->n; i++) {
		const struct rfs_report_violation *violation = &violations->list[i];

		if (violation->order != order || violation->suppressed)
			continue;
		counts.n++;
		counts.created += violation->created > 0;
		counts.harmful += violation->harmful && !violation->shown_by;
	}
	return counts;
}

bool rfs_report_violations_unconfirmed(const struct rfs_report_violations *violations)
{
	const struct rfs_violation_counts atomicity = rfs_report_violations_count(violations, false),
					  orders = rfs_report_violations_count(violations, true);

	return atomicity.harmful + orders.harmful < atomicity.n + orders.n;
}

const struct rfs_report_identity *rfs_report_of_violation(const struct rfs_report *report,
							  const struct rfs_report_violation *violation)
{
	for (size_t i = 0; violation->pair && i < report->n_pairs; i++)
		if (report->pairs[i].ordinal == violation->pair)
			return &report->pairs[i].identity;
	for (size_t i = 0; violation->finding && i < report->n_deadlocks; i++)
		if (report->deadlocks[i].finding == violation->finding)
			return &report->deadlocks[i].identity;
	for (size_t i = 0; violation->finding && i < report->n_failures; i++)
		if (report->failures[i].finding == violation->finding)
			return &report->failures[i].identity;
	return NULL;
}

bool rfs_report_goes_along(const struct rfs_report_violation *violation, const struct rfs_report_deadlock *deadlock)
{
	return violation->goes_along && violation->finding == deadlock->finding;
}
