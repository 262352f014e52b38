/* report_violation.c - predicted atomicity and order violations in a report, as data and as text. */
#include "supervisor/report/report_violation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/plural.h"
#include "supervisor/report/report.h"
#include "supervisor/report/report_text-priv.h"

/* unconfirmed.txt shows at most so many. */
#define SHOWN 20

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

void rfs_report_violations_join(struct rfs_report_violations *violations)
{
	for (size_t i = 0; i < violations->n; i++)
		for (size_t k = 0; k < violations->n && !violations->list[k].shown_by; k++)
			if (k != i && is_sign_of(&violations->list[k], &violations->list[i]))
				violations->list[k].shown_by = i + 1;
}

/* How many of one kind are not suppressed. */
struct counts {
	size_t n;
	uint64_t created, harmful;
};

static struct counts report_violation_count(const struct rfs_report_violations *violations, bool order)
{
	struct counts counts = {0};

	for (size_t i = 0; i < violations->n; i++) {
		const struct rfs_report_violation *violation = &violations->list[i];

		if (violation->order != order || violation->suppressed)
			continue;
		counts.n++;
		counts.created += violation->created > 0;
		counts.harmful += violation->harmful;
	}
	return counts;
}

bool rfs_report_violations_unconfirmed(const struct rfs_report_violations *violations)
{
	const struct counts atomicity = report_violation_count(violations, false),
			    orders = report_violation_count(violations, true);

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

/* ---- text ---- */

static const char *verb(const struct rfs_report_violation_access *operation)
{
	const unsigned access = operation->access;

	if (operation->verb)
		return operation->verb;
	if (access & RFS_ACCESS_FREE)
		return "frees";
	return access & RFS_ACCESS_WRITE ? "writes" : access ? "reads" : "accesses";
}

static void put_access(struct rfs_text *text, const struct rfs_report_violation_access *access, const char *what)
{
	char *who = rfs_text_who(text, &access->place);

	rfs_text_put(text, "%s %s in %s", verb(access), what, who);
	free(who);
}

static void report_violation_put_thread(struct rfs_text *text, int thread)
{
	if (thread >= 0)
		rfs_text_put(text, "    thread %d ", thread);
	else
		rfs_text_put(text, "    a thread ");
}

/* What the two operations of an order violation do. */
static void put_operations(struct rfs_text *text, const struct rfs_report_violation *violation)
{
	const char *it = violation->variable ? "it" : "data";
	char *first = rfs_text_who(text, &violation->first.place),
	     *later = rfs_text_who(text, &violation->remote.place);

	report_violation_put_thread(text, violation->remote.thread);
	if (violation->remote.ends)
		rfs_text_put(text, "ends; it has started in %s\n", later);
	else
		rfs_text_put(text, "%s %s in %s\n", verb(&violation->remote), it, later);
	report_violation_put_thread(text, violation->first.thread);
	rfs_text_put(text, "%s %s in %s only after that\n", verb(&violation->first), it, first);
	if (violation->lock)
		rfs_text_put(text, "    in the other order in the observed run; only sections of %s separate them\n",
			     violation->lock);
	free(first);
	free(later);
}

/* Whether it is the name of a variable, and not a description of a block. */
static bool is_short(const char *variable)
{
	return variable && !strchr(variable, ' ');
}

/* What the accesses to two variables do. */
static void put_double(struct rfs_text *text, const struct rfs_report_violation *violation)
{
	const bool known = is_short(violation->variable) && is_short(violation->beside);
	const char *one = known ? violation->variable : "the first", *other = known ? violation->beside : "the second";

	report_violation_put_thread(text, violation->first.thread);
	put_access(text, &violation->first, one);
	rfs_text_put(text, ", and later ");
	put_access(text, &violation->second, other);
	rfs_text_put(text, "\n");
	report_violation_put_thread(text, violation->remote.thread);
	put_access(text, &violation->remote, one);
	rfs_text_put(text, ", and ");
	put_access(text, &violation->also, other);
	rfs_text_put(text, ", between the two\n");
	if (violation->lock)
		rfs_text_put(text, "    %s protects each access, but thread %d makes its two in separate sections\n",
			     violation->lock, violation->first.thread);
}

static void put_sections(struct rfs_text *text, const struct rfs_report_violation *violation)
{
	if (violation->order) {
		put_operations(text, violation);
		return;
	}
	if (violation->is_double) {
		put_double(text, violation);
		return;
	}
	report_violation_put_thread(text, violation->first.thread);
	put_access(text, &violation->first, violation->variable ? "it" : "data");
	rfs_text_put(text, ", and later ");
	put_access(text, &violation->second, "it");
	rfs_text_put(text, "\n");
	report_violation_put_thread(text, violation->remote.thread);
	put_access(text, &violation->remote, "it");
	rfs_text_put(text, ", between the two\n");
	if (violation->lock)
		rfs_text_put(text, "    each is in a separate section of %s\n", violation->lock);
}

/* Whether its failure is known from an earlier report. */
static bool report_violation_is_known(const struct rfs_report *report, const struct rfs_report_violation *violation)
{
	const struct rfs_report_identity *of = rfs_report_of_violation(report, violation);

	return of && of->known;
}

/* With how many runs it was tested. */
static void report_violation_put_orders(struct rfs_text *text, const struct rfs_report_violation *violation)
{
	const struct rfs_report_orders *orders = &violation->orders;

	rfs_text_put(text,
		     "%s: the program failed in %" PRIu64 " of %" PRIu64 " runs with the violation, and in %" PRIu64
		     " of %" PRIu64 " without it (p = %.2g)\n",
		     violation->detail ? violation->detail : "failure", orders->failed[0], orders->runs[0],
		     orders->failed[1], orders->runs[1], orders->corrected);
}

char *rfs_text_violation_name(const struct rfs_report_violation *violation)
{
	const bool alike =
		violation->variable && violation->beside && strcmp(violation->variable, violation->beside) == 0;

	return xasprintf("%s%s VIOLATION%s%s%s%s%s%s%s", violation->harmful ? "HARMFUL " : "",
			 violation->order ? "ORDER" : "ATOMICITY", violation->order && violation->pattern ? ":" : "",
			 violation->pattern ? " " : "", violation->pattern ? violation->pattern : "",
			 violation->variable ? " on " : "", violation->variable ? violation->variable : "",
			 violation->beside ? " and " : "",
			 !violation->beside ? ""
			 : alike	    ? "another one"
					    : violation->beside);
}

void rfs_text_put_violation_sentence(struct rfs_text *text, const struct rfs_report_violation *violation)
{
	char *lines = NULL, *rest = NULL;
	size_t size;
	struct rfs_text part = {.out = xopen_memstream(&lines, &size), .folder = text->folder};

	put_sections(&part, violation);
	report_violation_put_orders(&part, violation);
	fclose(part.out);
	for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		rfs_text_put(text, "%s%s", line == lines ? "" : "; ", line + strspn(line, " "));
	free(lines);
}

void rfs_text_put_along(struct rfs_text *text, const struct rfs_report *report,
			const struct rfs_report_deadlock *deadlock)
{
	bool first = true;

	for (size_t i = 0; i < report->violations.n; i++) {
		const struct rfs_report_violation *violation = &report->violations.list[i];
		char *name;

		if (!rfs_report_goes_along(violation, deadlock) || violation->suppressed)
			continue;
		if (first)
			rfs_text_put(text, "    goes along with, and is no cause by itself\n");
		first = false;
		name = rfs_text_violation_name(violation);
		rfs_text_put(text, "        %s: ", name);
		rfs_text_put_violation_sentence(text, violation);
		rfs_text_put(text, "\n");
		free(name);
	}
}

void rfs_text_put_violation(struct rfs_text *text, const struct rfs_report_violation *violation, const char *colour)
{
	char *name = rfs_text_violation_name(violation);

	rfs_text_put(text, "\n");
	rfs_text_colour(text, colour);
	rfs_text_put(text, "%s", name);
	rfs_text_colour(text, RFS_TEXT_PLAIN);
	rfs_text_put(text, "\n");
	put_sections(text, violation);
	if (violation->harmful) {
		rfs_text_put(text, "    ");
		report_violation_put_orders(text, violation);
	}
	free(name);
}

/* The other signs of this violation. */
static void put_signs(struct rfs_text *text, const struct rfs_report_violations *violations, size_t of)
{
	for (size_t i = 0; i < violations->n; i++) {
		char *name;

		if (violations->list[i].shown_by != of + 1)
			continue;
		name = rfs_text_violation_name(&violations->list[i]);
		rfs_text_put(text, "    goes along with it: %s\n", name + strlen("HARMFUL "));
		free(name);
	}
}

bool rfs_text_put_harmful_violations(struct rfs_text *text, const struct rfs_report *report)
{
	bool shown = false;

	for (size_t i = 0; i < report->violations.n; i++) {
		const struct rfs_report_violation *violation = &report->violations.list[i];

		if (!violation->harmful || violation->shown_by || report_violation_is_known(report, violation))
			continue;
		shown = true;
		rfs_text_put_violation(text, violation, RFS_TEXT_RED);
		put_signs(text, &report->violations, i);
	}
	return shown;
}

void rfs_text_put_violations(struct rfs_text *text, const struct rfs_report *report)
{
	size_t shown = 0;

	for (size_t i = 0; i < report->violations.n && shown < SHOWN; i++) {
		const struct rfs_report_violation *violation = &report->violations.list[i];

		if (violation->harmful || violation->suppressed)
			continue;
		shown++;
		rfs_text_put_violation(text, violation, RFS_TEXT_DIM);
		if (violation->created)
			rfs_text_put(
				text, "    created in %" PRIu64 " of %" PRIu64 " run%s; %" PRIu64 " of them failed\n",
				violation->created, violation->runs, rfs_plural(violation->runs), violation->failed);
		else
			rfs_text_put(text, "    not created in %" PRIu64 " run%s\n", violation->runs,
				     rfs_plural(violation->runs));
	}
}

static void report_violation_put_counts(struct rfs_text *text, const struct rfs_report *report, const char *name,
					bool order)
{
	const struct counts counts = report_violation_count(&report->violations, order);

	if (!counts.n)
		return;
	rfs_text_put(text, "%-9s   %zu violation%s predicted, %" PRIu64 " created, %" PRIu64 " harmful", name, counts.n,
		     rfs_plural(counts.n), counts.created, counts.harmful);
	if (report->violations.cut)
		rfs_text_put(text, "; there may be more");
	if (report->directory && counts.harmful < counts.n)
		rfs_text_put(text, "; listed in %s/unconfirmed.txt", report->directory);
	rfs_text_put(text, "\n");
}

void rfs_text_put_violation_counts(struct rfs_text *text, const struct rfs_report *report)
{
	report_violation_put_counts(text, report, "atomicity", false);
	report_violation_put_counts(text, report, "order", true);
}
