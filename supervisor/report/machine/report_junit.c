/*
 * Writes the findings as JUnit XML, the form of test results that CI services read. Each group of findings is a failed
 * test. One more test says whether the campaign could be carried out.
 */
#include "supervisor/report/machine/report_junit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/report/data/report_identity.h"
#include "supervisor/report/data/report_misuse.h"
#include "supervisor/report/machine/rules.h"
#include "supervisor/report/text/markup.h"
#include "supervisor/report/text/short_name.h"
#include "supervisor/report/text/text_finding.h"
#include "supervisor/report/text/text_put.h"
#include "supervisor/report/text/text_violation.h"

struct junit {
	const struct rfs_report *report;
	const char *program;
	FILE *out;
};

static void put_attribute(const struct junit *junit, const char *name, const char *value)
{
	fprintf(junit->out, " %s=\"", name);
	rfs_markup_escape(value, junit->out);
	fputc('"', junit->out);
}

/*
 * Writes a test. says NULL: it passed. skipped: it does not count. kind: the element of a test that did not pass. body:
 * its whole text; NULL: none.
 */
static void report_junit_put_test(const struct junit *junit, const char *name, const char *kind, const char *type,
				  bool skipped, const char *says, const char *body)
{
	fputs("    <testcase", junit->out);
	put_attribute(junit, "classname", junit->program);
	put_attribute(junit, "name", name);
	if (!says) {
		fputs("/>\n", junit->out);
		return;
	}
	fprintf(junit->out, ">\n      <%s", skipped ? "skipped" : kind);
	put_attribute(junit, "message", says);
	if (!skipped)
		put_attribute(junit, "type", type);
	fputc('>', junit->out);
	rfs_markup_escape(body && !skipped ? body : "", junit->out);
	fprintf(junit->out, "</%s>\n    </testcase>\n", skipped ? "skipped" : kind);
}

/* The command line. Caller frees. */
static char *suite_name(const struct rfs_report *report)
{
	char *name = xstrdup("rfsup");

	for (size_t i = 0; i < report->program.n_items; i++) {
		char *longer = xasprintf("%s %s", name, report->program.items[i]);

		free(name);
		name = longer;
	}
	return name;
}

/* "atomicity-violation: first, remote". Caller frees. */
static char *violation_name(const char *rule, const struct rfs_report_violation *violation)
{
	char *one = rfs_short_place_name(&violation->first.place),
	     *other = rfs_short_place_name(&violation->remote.place), *name = xasprintf("%s: %s, %s", rule, one, other);

	free(one);
	free(other);
	return name;
}

/* The name of a finding stays the same if lines move: "race: first, second". Caller frees. */
static char *finding_name(const struct rfs_report_item *item)
{
	const char *rule = rfs_rules[rfs_rule_of(item)].id;
	char *one, *other, *name;

	if (item->failure && item->failure->violation)
		return violation_name(rule, item->failure->violation);
	if (item->failure)
		return xasprintf("%s: %s", rule, item->failure->detail ? item->failure->detail : "");
	if (item->deadlock)
		return xasprintf("%s of %zu threads [%s]", rule, item->deadlock->n_threads,
				 item->deadlock->identity.fingerprint);
	one = rfs_short_place_name(rfs_report_own_place(&item->pair->statement[0]));
	other = rfs_short_place_name(rfs_report_own_place(&item->pair->statement[1]));
	name = xasprintf("%s: %s, %s", rule, one, other);
	free(one);
	free(other);
	return name;
}

static void free_names(char **names)
{
	for (char **name = names; *name; name++)
		free(*name);
	free(names);
}

/* A name of findings, and how many have it. */
struct named {
	char *name; /* the key */
	size_t n;
	UT_hash_handle hh;
};

/* Counts the name, which the table then owns. Returns its row. */
static const struct named *report_junit_count_name(struct named **table, char *name)
{
	struct named *row;

	HASH_FIND_STR(*table, name, row);
	if (row) {
		free(name);
	} else {
		row = xcalloc(1, sizeof(*row));
		row->name = name;
		HASH_ADD_KEYPTR(hh, *table, name, strlen(name), row);
	}
	row->n++;
	return row;
}

/*
 * The names of all groups. Readers take two tests of one name for one test, so a name that earlier groups have gets a
 * number. Free with free_names().
 */
static char **test_names(const struct rfs_report_groups *groups)
{
	char **names = xcalloc(groups->n + 1, sizeof(*names));
	struct named *table = NULL, *row, *next;

	for (size_t i = 0; i < groups->n; i++) {
		const struct named *found = report_junit_count_name(&table, finding_name(&groups->list[i].items[0]));

		names[i] = found->n == 1 ? xstrdup(found->name) : xasprintf("%s (%zu)", found->name, found->n);
	}
	HASH_ITER (hh, table, row, next) {
		HASH_DEL(table, row);
		free(row->name);
		free(row);
	}
	return names;
}

static void report_junit_put_group(const struct junit *junit, const struct rfs_report_group *group, const char *name)
{
	const struct rfs_report_item *item = &group->items[0];
	bool known = rfs_report_item_identity(item)->known;
	char *head = rfs_text_head(item), *body = NULL;
	char *says = known ? xasprintf("%s; known from %s", head, junit->report->known_in) : xstrdup(head);
	size_t size;
	struct rfs_text text = {.out = xopen_memstream(&body, &size), .folder = getcwd(NULL, 0)};

	if (item->failure && item->failure->violation)
		rfs_text_put_violation(&text, item->failure->violation, "");
	rfs_text_put_group(&text, group, junit->report);
	fclose(text.out);
	report_junit_put_test(junit, name, "failure", rfs_rules[rfs_rule_of(item)].id, known, says, body);
	free(text.folder);
	free(body);
	free(says);
	free(head);
}

static void report_junit_put_misuse(const struct junit *junit, const struct rfs_report_misuse *misuse)
{
	char *name = xasprintf("misuse: %s [%s]", misuse->kind, misuse->identity.fingerprint);
	char *says = xasprintf("thread %d %s", misuse->thread, misuse->what);

	report_junit_put_test(junit, name, "failure", "misuse", !rfs_identity_counts(&misuse->identity), says, NULL);
	free(says);
	free(name);
}

void rfs_report_write_junit(const struct rfs_report *report, bool colour, FILE *out)
{
	bool own = report->own.failed && report->is_test;
	const char *error = report->uncontrolled && !own ? report->uncontrolled : report->incomplete;
	struct junit junit = {report, report->program.n_items ? rfs_base_name(report->program.items[0]) : "?", out};
	bool skips = error && (strcmp(error, RFS_ONE_THREAD) == 0 || rfs_report_own_skips(report));
	size_t tests = 1, known = 0, misuses = report->misuses.findings ? report->misuses.n : 0;
	struct rfs_report_groups groups;
	char *suite = suite_name(report), **names;

	(void)colour;
	rfs_report_groups_make(report, &groups);
	for (size_t i = 0; i < groups.n; i++)
		known += rfs_report_item_identity(&groups.list[i].items[0])->known;
	for (size_t i = 0; i < misuses; i++)
		known += !rfs_identity_counts(&report->misuses.list[i].identity);
	tests += groups.n + misuses;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
	put_attribute(&junit, "name", suite);
	free(suite);
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\">\n", tests,
		tests - 1 - known + (own && !skips), error && !own && !skips, known + skips);
	fprintf(out, "    <properties>\n      <property name=\"seed\" value=\"%" PRIu64 "\"/>\n    </properties>\n",
		report->seed);
	report_junit_put_test(&junit, "campaign", own ? "failure" : "error",
			      own		     ? "own-failure"
			      : report->uncontrolled ? "uncontrolled"
						     : "incomplete",
			      skips, error, NULL);
	names = test_names(&groups);
	for (size_t i = 0; i < groups.n; i++)
		report_junit_put_group(&junit, &groups.list[i], names[i]);
	free_names(names);
	for (size_t i = 0; i < misuses; i++)
		report_junit_put_misuse(&junit, &report->misuses.list[i]);
	fputs("  </testsuite>\n</testsuites>\n", out);
	rfs_report_groups_release(&groups);
}
