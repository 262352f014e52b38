/* report_groups_test.c - which findings have one cause. */
#include "supervisor/report/data/report_groups.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_pair_groups.h"
#include "supervisor/report/text/report_text.h"
#include "supervisor/symbols/source_place.h"

TestSuite(report_groups, .timeout = 20);

static struct rfs_report_pair *race(struct rfs_report *report, enum rfs_verdict verdict, const char *variable,
				    const char *first, const char *second)
{
	struct rfs_report_pair *pair = rfs_report_add_pair(report);

	pair->verdict = verdict;
	pair->variable = variable ? xstrdup(variable) : NULL;
	for (int i = 0; i < 2; i++) {
		struct rfs_source_place *place = &pair->statement[i].place;

		place->module = xstrdup("/opt/app/prog");
		place->offset = report->n_pairs * 2 + (size_t)i;
		place->function = (i ? second : first) ? xstrdup(i ? second : first) : NULL;
	}
	return pair;
}

/* How many groups the report has, and how many findings are in the first one. */
static size_t groups(struct rfs_report *report, size_t *first, const char **heading)
{
	struct rfs_report_groups made;
	size_t n;

	rfs_report_finish(report);
	rfs_report_groups_make(report, &made);
	n = made.n;
	*first = n ? made.list[0].n : 0;
	*heading = n && made.list[0].items[0].pair ? made.list[0].items[0].pair->variable : NULL;
	rfs_report_groups_release(&made);
	rfs_report_release(report);
	return n;
}

Test(report_groups, races_on_one_variable)
{
	struct rfs_report report;
	const char *heading;
	size_t first;

	rfs_report_init(&report);
	race(&report, RFS_VERDICT_REAL, "stats.hits", "a", "b");
	race(&report, RFS_VERDICT_REAL, "stats.list[3]", "c", "d");
	race(&report, RFS_VERDICT_REAL, "other", "e", "f");
	race(&report, RFS_VERDICT_UNCONFIRMED, "stats.x", "g", "h");
	cr_expect_eq(groups(&report, &first, &heading), 2);
	cr_expect_eq(first, 2);
}

Test(report_groups, races_of_two_functions)
{
	struct rfs_report report;
	const char *heading;
	size_t first;

	rfs_report_init(&report);
	race(&report, RFS_VERDICT_REAL, "x", "a", "b");
	race(&report, RFS_VERDICT_HARMFUL, "y", "b", "a");
	race(&report, RFS_VERDICT_REAL, NULL, NULL, NULL);
	race(&report, RFS_VERDICT_REAL, NULL, NULL, NULL);
	cr_expect_eq(groups(&report, &first, &heading), 3, "functions without a name are not equal");
	cr_expect_eq(first, 2);
}

/* Expects `n` groups, and that `first` is the variable of the first race. */
static void expect_first(struct rfs_report *report, size_t n, const char *first)
{
	struct rfs_report_groups made;

	rfs_report_finish(report);
	rfs_report_groups_make(report, &made);
	cr_assert_eq(made.n, n);
	cr_expect_str_eq(made.list[0].items[0].pair->variable, first);
	rfs_report_groups_release(&made);
	rfs_report_release(report);
}

Test(report_groups, a_race_with_a_free_is_often_a_consequence)
{
	struct rfs_report report;

	rfs_report_init(&report);
	race(&report, RFS_VERDICT_HARMFUL, "block", "a", "b")->statement[1].access = RFS_ACCESS_WRITE | RFS_ACCESS_FREE;
	race(&report, RFS_VERDICT_HARMFUL, "current", "a", "b");
	expect_first(&report, 1, "current");

	/* but a harmful race comes before one that may not be the cause */
	rfs_report_init(&report);
	race(&report, RFS_VERDICT_HARMFUL, "block", "a", "b")->statement[0].access = RFS_ACCESS_WRITE | RFS_ACCESS_FREE;
	race(&report, RFS_VERDICT_REAL, "current", "c", "d")->failed = true;
	expect_first(&report, 2, "block");
}

Test(report_groups, one_finding_can_join_two_groups)
{
	struct rfs_report report;
	const char *heading;
	size_t first;

	rfs_report_init(&report);
	race(&report, RFS_VERDICT_HARMFUL, "x", "a", "b");
	race(&report, RFS_VERDICT_HARMFUL, "y", "c", "d");
	race(&report, RFS_VERDICT_REAL, "x", "c", "d");
	cr_expect_eq(groups(&report, &first, &heading), 1);
	cr_expect_eq(first, 3);
}

Test(report_groups, names_that_mean_nothing_in_another_race)
{
	static const char *const names[] = {
		"0x1234", "stack of thread 1",
		"heap block of 24 bytes + 8, allocated by thread 0 at operator new(unsigned long)"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct rfs_report report;
		const char *heading;
		size_t first;

		rfs_report_init(&report);
		race(&report, RFS_VERDICT_REAL, names[i], "a", "b");
		race(&report, RFS_VERDICT_REAL, names[i], "c", "d");
		cr_expect_eq(groups(&report, &first, &heading), 2, "%s", names[i]);
	}
}

Test(report_groups, findings_of_one_run)
{
	struct rfs_report report;
	struct rfs_report_failure *failure;
	const char *heading;
	size_t first;

	rfs_report_init(&report);
	race(&report, RFS_VERDICT_REAL, "x", "a", "b")->record = xstrdup("out/pair-1-seed-1.json");
	for (int i = 0; i < 2; i++) {
		failure = rfs_report_add_failure(&report);
		failure->kind = RFS_FAILURE_EXIT;
		failure->detail = xasprintf("status %d", i);
		failure->run.record = xstrdup(i ? "out/explore-seed-3.json" : "out/pair-1-seed-1.json");
	}
	cr_expect_eq(groups(&report, &first, &heading), 2);
}

/* All pairs are listed; those of the same functions and memory as another one have one line. */
static void fails_at(struct rfs_source_stack *stack, uint64_t offset)
{
	struct rfs_source_place *frame = rfs_source_stack_add(stack);

	frame->module = xstrdup("/opt/app/prog");
	frame->offset = offset;
}

/* The failure of a use after free may show with either order of the free and the use. */
Test(report_groups, a_failure_after_a_use_after_free)
{
	for (int other = 0; other < 3; other++) {
		struct rfs_report report;
		const char *heading;
		size_t first;

		rfs_report_init(&report);
		race(&report, RFS_VERDICT_HARMFUL, "heap block of 8 bytes", "a", "b");
		report.pairs[0].failed = true;
		report.pairs[0].kind = other == 1 ? RFS_FAILURE_SIGNAL : RFS_FAILURE_USE_AFTER_FREE;
		fails_at(&report.pairs[0].shown.stack, 0x40);
		rfs_report_add_failure(&report)->detail = xstrdup("SIGABRT");
		fails_at(&report.failures[0].run.shown.stack, other == 2 ? 0x48 : 0x40);
		cr_expect_eq(groups(&report, &first, &heading), other ? 2 : 1, "%d", other);
		cr_expect_eq(first, other ? 1 : 2, "%d", other);
	}
}

Test(report_groups, unconfirmed_pairs_of_one_cause_are_listed_together)
{
	struct rfs_report report;
	char *text;
	size_t n;
	FILE *out;

	rfs_report_init(&report);
	race(&report, RFS_VERDICT_UNCONFIRMED, "stats.hits", "a", "b");
	race(&report, RFS_VERDICT_UNCONFIRMED, "stats.misses", "b", "a")->runs = 7;
	race(&report, RFS_VERDICT_UNCONFIRMED, "stats.x", "a", "c");
	race(&report, RFS_VERDICT_UNCONFIRMED, "other", "a", "b");
	race(&report, RFS_VERDICT_REAL, "stats.found", "a", "b");
	rfs_report_finish(&report);
	out = open_memstream(&text, &n);
	rfs_report_write_unconfirmed(&report, false, out);
	fclose(out);
	/* the one that was tried stands for its group */
	cr_expect_not_null(strstr(text, "\nUNCONFIRMED pair on stats.misses"), "%s", text);
	cr_expect_not_null(
		strstr(text, "    1 more of the same functions and memory\n        UNCONFIRMED pair on stats.hits: "),
		"%s", text);
	cr_expect_not_null(strstr(text, "\nUNCONFIRMED pair on stats.x"), "%s", text);
	cr_expect_not_null(strstr(text, "\nUNCONFIRMED pair on other"), "%s", text);
	cr_expect_null(strstr(text, "stats.found"), "%s", text);
	free(text);
	rfs_report_release(&report);
}

/* Pairs of any verdict: the worst verdict is that of the group, then the pair with most runs. */
Test(report_groups, a_group_of_pairs_has_its_worst_verdict)
{
	struct rfs_report report;
	struct rfs_report_pair_groups groups;
	const struct rfs_report_pair *pairs[5];

	rfs_report_init(&report);
	race(&report, RFS_VERDICT_UNCONFIRMED, "x", "f", "g")->runs = 3;
	race(&report, RFS_VERDICT_UNCONFIRMED, "y", "f", "h")->runs = 1;
	race(&report, RFS_VERDICT_UNCONFIRMED, "y", "h", "f")->runs = 2;
	race(&report, RFS_VERDICT_REAL, "x", "f", "g")->runs = 1;
	race(&report, RFS_VERDICT_UNCONFIRMED, "x", "g", "f")->runs = 9;
	for (size_t i = 0; i < 5; i++)
		pairs[i] = &report.pairs[i];
	rfs_report_pair_groups_make(pairs, 5, &groups);
	cr_assert_eq(groups.n, 2);
	cr_assert_eq(groups.list[0].n, 3);
	cr_expect_eq(groups.list[0].pairs[0], pairs[3]);
	cr_expect_eq(groups.list[0].pairs[1], pairs[0], "the others keep their order");
	cr_expect_eq(groups.list[0].pairs[2], pairs[4]);
	cr_assert_eq(groups.list[1].n, 2);
	cr_expect_eq(groups.list[1].pairs[0], pairs[2]);
	rfs_report_pair_groups_release(&groups);
	rfs_report_release(&report);
}
