/* text_violation.c - writes predicted atomicity and order violations for people. */
#include "supervisor/report/text/text_violation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/text/text_put.h"

/* unconfirmed.txt shows at most this many. */
#define SHOWN 20

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

static void text_violation_put_thread(struct rfs_text *text, int thread)
{
	if (thread >= 0)
		rfs_text_put(text, "    thread %d ", thread);
	else
		rfs_text_put(text, "    a thread ");
}

/* What the two operations of an order violation do. name: what the first one is on. */
static void put_operations(struct rfs_text *text, const struct rfs_report_violation *violation, const char *name)
{
	const char *it = !violation->variable || violation->remote.ends ? name : "it";
	char *first = rfs_text_who(text, &violation->first.place),
	     *later = rfs_text_who(text, &violation->remote.place);

	text_violation_put_thread(text, violation->remote.thread);
	if (violation->remote.ends)
		rfs_text_put(text, "ends; it has started in %s\n", later);
	else
		rfs_text_put(text, "%s %s in %s\n", verb(&violation->remote), name, later);
	text_violation_put_thread(text, violation->first.thread);
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

	text_violation_put_thread(text, violation->first.thread);
	put_access(text, &violation->first, one);
	rfs_text_put(text, ", and later ");
	put_access(text, &violation->second, other);
	rfs_text_put(text, "\n");
	text_violation_put_thread(text, violation->remote.thread);
	put_access(text, &violation->remote, one);
	rfs_text_put(text, ", and ");
	put_access(text, &violation->also, other);
	rfs_text_put(text, ", between the two\n");
	if (violation->lock)
		rfs_text_put(text, "    %s protects each access, but thread %d makes its two in separate sections\n",
			     violation->lock, violation->first.thread);
}

/* name: what the variable is called where it is mentioned first. */
static void put_sections(struct rfs_text *text, const struct rfs_report_violation *violation, const char *name)
{
	if (violation->order) {
		put_operations(text, violation, name);
		return;
	}
	if (violation->is_double) {
		put_double(text, violation);
		return;
	}
	text_violation_put_thread(text, violation->first.thread);
	put_access(text, &violation->first, name);
	rfs_text_put(text, ", and later ");
	put_access(text, &violation->second, "it");
	rfs_text_put(text, "\n");
	text_violation_put_thread(text, violation->remote.thread);
	put_access(text, &violation->remote, "it");
	rfs_text_put(text, ", between the two\n");
	if (violation->lock)
		rfs_text_put(text, "    each is in a separate section of %s\n", violation->lock);
}

/* Whether its failure is known from an earlier report. */
static bool text_violation_is_known(const struct rfs_report *report, const struct rfs_report_violation *violation)
{
	const struct rfs_report_identity *of = rfs_report_of_violation(report, violation);

	return of && of->known;
}

/* With how many runs it was tested. */
static void text_violation_put_orders(struct rfs_text *text, const struct rfs_report_violation *violation)
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
	char *lines = NULL, *rest = NULL, *name;
	size_t size;
	struct rfs_text part = {.out = xopen_memstream(&lines, &size), .folder = text->folder};

	name = rfs_text_variable(violation->variable, "data");
	put_sections(&part, violation, name);
	free(name);
	text_violation_put_orders(&part, violation);
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
			rfs_text_put(text, "    goes along with it\n");
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
	put_sections(text, violation, violation->variable ? "it" : "data"); /* the heading has its name */
	if (violation->harmful) {
		rfs_text_put(text, "    ");
		text_violation_put_orders(text, violation);
	}
	if (violation->harmful && *violation->failure)
		rfs_text_put(text, RFS_TEXT_ITS_FAILURE "%s\n", violation->failure);
	free(name);
}

/* The other signs of this violation. Those by other instructions of the same lines have the same name. */
static void put_signs(struct rfs_text *text, const struct rfs_report_violations *violations, size_t of)
{
	char *own = rfs_text_violation_name(&violations->list[of]);

	for (size_t i = 0; i < violations->n; i++) {
		char *name;

		if (violations->list[i].shown_by != of + 1)
			continue;
		name = rfs_text_violation_name(&violations->list[i]);
		if (strcmp(name, own) != 0)
			rfs_text_put(text, "    goes along with it: %s\n", name + strlen("HARMFUL "));
		free(name);
	}
	free(own);
}

bool rfs_text_put_harmful_violations(struct rfs_text *text, const struct rfs_report *report)
{
	bool shown = false;

	for (size_t i = 0; i < report->violations.n; i++) {
		const struct rfs_report_violation *violation = &report->violations.list[i];

		if (!violation->harmful || violation->shown_by || text_violation_is_known(report, violation))
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

static void text_violation_put_counts(struct rfs_text *text, const struct rfs_report *report, const char *name,
				      bool order)
{
	const struct rfs_violation_counts counts = rfs_report_violations_count(&report->violations, order);

	if (!counts.n)
		return;
	rfs_text_put(text, "%-9s   %zu violation%s predicted, %" PRIu64 " %s, %" PRIu64 " harmful", name, counts.n,
		     rfs_plural(counts.n), counts.created, rfs_text_created(text), counts.harmful);
	if (report->violations.cut)
		rfs_text_put(text, "; there may be more");
	if (report->directory && counts.harmful < counts.n)
		rfs_text_put(text, "; listed in %s/unconfirmed.txt", report->directory);
	rfs_text_put(text, "\n");
}

void rfs_text_put_violation_counts(struct rfs_text *text, const struct rfs_report *report)
{
	text_violation_put_counts(text, report, "atomicity", false);
	text_violation_put_counts(text, report, "order", true);
}
