/* report_test.c - ids, order and exit status of a report, and the contents of both formats. */
#include "supervisor/report/data/report.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/report/machine/report_json.h"
#include "supervisor/report/text/report_text.h"
#include "tests/supervisor/sample.h"
#include "tests/supervisor/scratch.h"

TestSuite(report, .timeout = 20);

/* noinline: otherwise gcc 12 takes the result of strstr() for a pointer to a local variable of this function */
static __attribute__((noinline)) char *written(const struct rfs_report *report, bool json, bool colour)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (json)
		rfs_report_write_json(report, out);
	else
		rfs_report_write_text(report, colour, out);
	fclose(out);
	return text;
}

Test(report, id_names_the_pair_and_nothing_else)
{
	struct rfs_source_place a = {.module = (char[]){"/opt/app/prog"}, .offset = 0x1234};
	struct rfs_source_place moved = {.module = (char[]){"/tmp/other/prog"}, .offset = 0x1234};
	struct rfs_source_place b = {.module = (char[]){"/lib/libx.so"}, .offset = 0x10};
	char one[17], two[17];

	rfs_report_pair_id(&a, &b, one);
	/* users store ids, so the algorithm must not change */
	cr_assert_str_eq(one, "1d092ab3aba19f3a");
	rfs_report_pair_id(&b, &a, two);
	cr_assert_str_eq(one, two, "the order of the statements does not count");
	rfs_report_pair_id(&moved, &b, two);
	cr_assert_str_eq(one, two, "nor does the folder");
	rfs_report_pair_id(&a, &a, two);
	cr_assert_str_neq(one, two);
	b.offset++;
	rfs_report_pair_id(&a, &b, two);
	cr_assert_str_neq(one, two);
}

Test(report, statements_and_pairs_are_put_in_order)
{
	struct rfs_report report;

	sample_report(&report, "/nonexistent.c");
	rfs_report_finish(&report);
	cr_assert_eq(report.pairs[0].verdict, RFS_VERDICT_HARMFUL);
	cr_assert_eq(report.pairs[0].statement[0].place.offset, 0x11a4);
	cr_assert_eq(report.pairs[0].statement[1].place.offset, 0x1240);
	cr_assert_eq(report.pairs[0].reached[0], 100, "the counts go with their statements");
	cr_assert_eq(report.pairs[0].reached[1], 99);
	cr_assert_eq(report.deadlocks[0].threads[0].thread, 1);
	rfs_report_release(&report);
}

Test(report, exit_status)
{
	const struct {
		/* -1: none; 0: a finding; 1: not reproduced; failure 2: shown by each baseline run */
		int verdict, deadlock, failure;
		bool uncontrolled, incomplete;
		enum rfs_exit status;
	} cases[] = {
		{-1, -1, -1, false, false, RFS_EXIT_CLEAN},
		{-1, -1, -1, false, true, RFS_EXIT_INCOMPLETE},
		{-1, -1, -1, true, true, RFS_EXIT_UNCONTROLLED},
		{RFS_VERDICT_UNCONFIRMED, -1, -1, false, false, RFS_EXIT_CLEAN},
		{RFS_VERDICT_UNCLEAR, -1, -1, false, false, RFS_EXIT_CLEAN},
		{RFS_VERDICT_UNCLEAR, -1, -1, false, true, RFS_EXIT_INCOMPLETE},
		{RFS_VERDICT_REAL, -1, -1, true, true, RFS_EXIT_FINDING},
		{RFS_VERDICT_HARMFUL, -1, -1, false, false, RFS_EXIT_FINDING},
		{-1, 0, -1, true, false, RFS_EXIT_FINDING},
		{-1, 1, -1, false, false, RFS_EXIT_CLEAN},
		{-1, -1, 0, false, true, RFS_EXIT_FINDING},
		{-1, -1, 1, false, false, RFS_EXIT_CLEAN},
		{-1, -1, 2, false, false, RFS_EXIT_CLEAN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_report report;

		rfs_report_init(&report);
		if (cases[i].verdict >= 0)
			rfs_report_add_pair(&report)->verdict = (enum rfs_verdict)cases[i].verdict;
		if (cases[i].deadlock >= 0)
			rfs_report_add_deadlock(&report)->run.replayed =
				cases[i].deadlock == 1 ? RFS_REPLAY_DIFFERENT : RFS_REPLAY_SAME;
		if (cases[i].failure >= 0) {
			struct rfs_report_failure *failure = rfs_report_add_failure(&report);

			failure->run.replayed = cases[i].failure == 1 ? RFS_REPLAY_DIFFERENT : RFS_REPLAY_SAME;
			failure->plain = cases[i].failure == 2;
		}
		report.uncontrolled = cases[i].uncontrolled ? xstrdup("x") : NULL;
		report.incomplete = cases[i].incomplete ? xstrdup("x") : NULL;
		cr_expect_eq(rfs_report_exit(&report), cases[i].status, "case %zu", i);
		rfs_report_release(&report);
	}
}

static json_t *parsed(const struct rfs_report *report)
{
	char *text = written(report, true, false);
	json_error_t error;
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	cr_assert_not_null(object, "line %d: %s", error.line, error.text);
	free(text);
	return object;
}

/* The format is that of json_unpack() and has all keys. With '!', any other key is an error. */
Test(report, json_has_the_keys_of_the_manual)
{
	struct rfs_report report;
	json_t *root, *pairs, *statements, *first, *failure, *stack;
	json_int_t schema, seed, n, reached[2], race, runs[2], failed[2];
	const char *s[8];
	double real, corrected;
	int yes;
	json_error_t error;

	sample_report(&report, "/src/figure1.c");
	rfs_report_finish(&report);
	root = parsed(&report);
	cr_assert_eq(
		json_unpack_ex(
			root, &error, JSON_STRICT,
			"{s:I s:s s:[s,s] s:I s:{s:I s:I !} s:[{s:s s:I s:I !},{s:s s:I s:I s:I !},{s:s s:I s:I !}] "
			"s:[{s:s s:s !}] s:{s:I s:I s:F !} s:o s:[{s:s s:I s:[s] !},{s:s s:I s:[s] !}] s:[{s:s s:s s:I "
			"s:[{s:I s:s s:[s] s:[o] !},o] s:I s:s !}] s:[{s:s s:s s:s s:s s:s s:s s:I s:I s:s !}] "
			"s:{s:s s:s s:I s:I s:I s:{s:I !} s:I s:F s:F s:F s:[{s:s s:I !}] !} s:{s:I s:F !} !}",
			"schema", &schema, "version", &s[0], "program", &s[1], &s[2], "seed", &seed, "plain", "runs",
			&n, "failures", &n, "phases", "name", &s[0], "planned", &n, "runs", &n, "name", &s[0],
			"planned", &n, "runs", &n, "timeouts", &n, "name", &s[0], "planned", &n, "runs", &n, "modules",
			"name", &s[0], "build_id", &s[0], "predict", "runs", &n, "pairs", &n, "seconds", &(double){0},
			"pairs", &pairs, "pair_groups", "verdict", &s[1], "runs", &n, "pairs", &s[0], "verdict", &s[0],
			"runs", &n, "pairs", &s[0], "deadlocks", "id", &s[0], "fingerprint", &s[0], "runs", &n,
			"threads", "thread", &n, "waits_for", &s[3], "holds", &s[4], "stack", &stack, &stack, "seed",
			&n, "record", &s[5], "failures", "id", &s[0], "fingerprint", &s[0], "kind", &s[6], "detail",
			&s[0], "phase", &s[0], "policy", &s[0], "runs", &n, "seed", &n, "record", &s[0], "sampling",
			"policy", &s[0], "points", &s[0], "runs", &n, "failures", &n, "first_failure", &n, "stats",
			"thrashings", &n, "distinct_orders", &n, "entropy", &real, "new_probability", &real,
			"unseen_orders", &real, "orders", "hash", &s[7], "count", &n, "stats", "stops", &n, "seconds",
			&(double){0}),
		0, "%s", error.text);
	cr_assert_eq(schema, 1);
	cr_assert_str_eq(s[2], "two words");
	cr_assert_str_eq(s[3], "lock A, held by thread 2");
	cr_assert_str_eq(s[6], "exit");
	cr_assert_eq(json_array_size(pairs), 2);
	cr_assert_eq(json_unpack_ex(json_array_get(pairs, 0), &error, JSON_STRICT,
				    "{s:s s:s s:o s:s s:b s:s s:I s:I s:[I,I] s:I s:I s:o s:I s:s s:s s:o}", "id",
				    &s[0], "fingerprint", &s[0], "statements", &statements, "verdict", &s[1], "atomic",
				    &yes, "variable", &s[2], "planned", &n, "runs", &n, "reached", &reached[0],
				    &reached[1], "confirmed", &n, "failures", &n, "failure", &failure, "seed", &seed,
				    "record", &s[3], "output", &s[4], "failing_stack", &stack),
		     0, "%s", error.text);
	cr_assert_str_eq(s[1], "harmful");
	cr_assert_str_eq(s[2], "z");
	cr_assert(reached[0] == 100 && reached[1] == 99 && seed == 3);
	cr_assert_eq(json_unpack_ex(failure, &error, JSON_STRICT, "{s:s s:s s:b s:{s:I s:I s:[I,I] s:[I,I] s:f s:f}}",
				    "kind", &s[0], "detail", &s[1], "attributed", &yes, "orders", "tests", &n, "race",
				    &race, "runs", &runs[0], &runs[1], "failed", &failed[0], &failed[1], "p", &real,
				    "corrected", &corrected),
		     0, "%s", error.text);
	cr_assert(race == 3 && runs[0] == 20 && runs[1] == 19 && failed[0] == 18 && failed[1] == 1);
	cr_assert(real == 0.25 && corrected == 0.5);
	cr_assert(yes && strcmp(s[0], "signal") == 0);
	first = json_array_get(statements, 1);
	cr_assert_eq(json_unpack_ex(first, &error, JSON_STRICT, "{s:s s:I s:s s:I s:I s:s s:s s:I s:I s:I s:[s] s:o}",
				    "module", &s[0], "offset", &n, "file", &s[1], "line", &n, "column", &n, "function",
				    &s[2], "access", &s[3], "address", &n, "size", &n, "thread", &n, "locks", &s[4],
				    "stack", &stack),
		     0, "%s", error.text);
	cr_assert_str_eq(s[3], "read");
	cr_assert_eq(json_array_size(stack), 2);
	json_decref(root);
	rfs_report_release(&report);
}

Test(report, json_leaves_out_what_does_not_apply)
{
	static const char *const absent[] = {"incomplete", "plain", "predict", "sampling", "stats"};
	struct rfs_report report;
	json_t *root, *statement;
	json_error_t error;
	const char *s;
	json_int_t n;

	rfs_report_init(&report);
	root = parsed(&report);
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		cr_expect_null(json_object_get(root, absent[i]), "%s", absent[i]);
	json_decref(root);
	rfs_report_release(&report);

	sample_report(&report, "/src/figure1.c");
	rfs_report_finish(&report);
	root = parsed(&report);
	statement = json_array_get(json_object_get(json_array_get(json_object_get(root, "pairs"), 1), "statements"), 0);
	cr_assert_eq(json_unpack_ex(statement, &error, JSON_STRICT, "{s:s s:I}", "module", &s, "offset", &n), 0,
		     "without debug information only module and offset stand: %s", error.text);
	json_decref(root);
	rfs_report_release(&report);
}

Test(report, json_takes_any_bytes)
{
	const struct {
		const char *raw, *clean;
	} cases[] = {
		{"plain", "plain"},
		{"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"a\xff"
		 "b",
		 "a\xef\xbf\xbd"
		 "b"},
		{"\xc3", "\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"line\nbreak\x01", "line\nbreak\x01"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_report report;
		json_t *root;

		rfs_report_init(&report);
		rfs_report_add_string(&report.program, cases[i].raw);
		root = parsed(&report);
		cr_expect_str_eq(json_string_value(json_array_get(json_object_get(root, "program"), 0)), cases[i].clean,
				 "case %zu", i);
		json_decref(root);
		rfs_report_release(&report);
	}
}

Test(report, text_says_all_of_it)
{
	static const char *const parts[] = {
		"program     ./figure1 'two words'",
		"baseline    0 of 10 uncontrolled runs failed",
		"HARMFUL race on z",
		"thread 1 writes 4 bytes at source.c:1 in first, holding no lock",
		"| z = 1; /* first */",
		"thread 2 reads 4 bytes at source.c:2:7 in second, holding L (exclusive)",
		"first at source.c:1 writes z, and second at source.c:2 reads it; no lock protects both; in one order "
		"the "
		"program fails: SIGABRT in second.\n",
		"    where it failed\n        #1  second  source.c:2",
		"            inside raise at libc.so.6+0x1000\n",
		"    the program's last output\n        > assertion\n        > failed\n",
		"created (made to happen) in 98 of 100 runs; 51 of these failed; the statements were reached in 100 "
		"and 99 runs; seed 3",
		"crash: SIGABRT in second; failed in 18 of 20 runs with this order, in 1 of 19 with the other",
		"see it again: rfsup --replay 'rfsup.out.1/a record'",
		"explored    120 of 200 schedules\n",
		"unconfirmed 1 pair not reached\n",
		"sampled     5 runs\n            5 under random at sync points, 2 failed, the first was run 3\n"
		"              1 different order, entropy 0.50 bits; the next run has a new order with probability "
		"0.25; estimated number of unseen orders: at least 7\n              thrashings 3\n",
		"DEADLOCK of 2 threads",
		"thread 1 waits for lock A, held by thread 2, holding B",
		"FAILURE: exit status 3",
		"the program reports a failure; 0 of 10 uncontrolled runs failed.\n",
		"thread 1, in lock_both at source.c:3, waits for lock A, held by thread 2; thread 2, in lock_both at "
		"source.c:3, waits for lock B, held by thread 1.\n",
		"in 4 runs; first in phase explore under policy random; seed 17",
		"result      1 harmful race, 1 deadlock, 1 other failure, 1 unconfirmed\n",
	};
	static const char source[] = "\tz = 1; /* first */\n\tif (z)\n";
	char *scratch = scratch_enter(), *text, *end;
	struct rfs_report report;

	scratch_file("source.c", source, strlen(source), 0600);
	sample_report(&report, "source.c");
	rfs_report_finish(&report);
	text = written(&report, false, false);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		cr_expect_not_null(strstr(text, parts[i]), "'%s' is missing in\n%s", parts[i], text);
	cr_expect_null(strchr(text, '\033'), "colour where none was asked for");
	end = strstr(text, "\nresult ");
	cr_expect(end && strchr(end + 1, '\n') && strchr(end + 1, '\n')[1] == '\0', "the summary stands at the end");
	cr_expect_null(strstr(text, "UNCONFIRMED"), "only the count is in the report");
	free(text);
	text = written(&report, false, true);
	cr_expect_not_null(strchr(text, '\033'));
	free(text);
	rfs_report_release(&report);
	scratch_leave(scratch);
}

/* A budget may have been too short for the whole program. */
Test(report, text_and_json_say_which_parts_were_looked_at)
{
	struct rfs_report report;
	json_t *root, *parts;
	char *text;

	rfs_report_init(&report);
	report.has_predict = true;
	report.predict_runs = 3;
	report.predict_parts = 2;
	report.predict_part[0][0] = 10;
	report.predict_part[0][1] = 20;
	report.predict_part[1][0] = 90;
	report.predict_part[1][1] = UINT64_MAX;
	text = written(&report, false, false);
	cr_expect(strstr(text, "; 2 of them predicted on a part only: operations 10 to 19, from operation 90 on\n"),
		  "%s", text);
	root = parsed(&report);
	parts = json_object_get(json_object_get(root, "predict"), "parts");
	cr_assert_eq(json_array_size(parts), 2);
	cr_expect_eq(json_integer_value(json_object_get(json_array_get(parts, 0), "until")), 20);
	cr_expect_null(json_object_get(json_array_get(parts, 1), "until"));
	json_decref(root);
	free(text);
	rfs_report_release(&report);
}

Test(report, text_keeps_control_characters_off_the_terminal)
{
	struct rfs_report report;
	char *text;

	rfs_report_init(&report);
	rfs_report_add_string(&report.program, "a\033[2Jb\r");
	text = written(&report, false, false);
	cr_assert_not_null(strstr(text, "a?[2Jb?"), "%s", text);
	cr_assert_not_null(strstr(text, "result      nothing found\n"));
	free(text);
	rfs_report_release(&report);
}

Test(report, what_is_no_finding_is_listed_apart)
{
	struct rfs_report report;
	char *text;
	size_t n;
	FILE *out;

	sample_report(&report, "/nonexistent.c");
	report.deadlocks[0].run.replayed = RFS_REPLAY_DIFFERENT;
	rfs_report_finish(&report);
	cr_expect(rfs_report_has_unconfirmed(&report));
	out = open_memstream(&text, &n);
	rfs_report_write_unconfirmed(&report, false, out);
	fclose(out);
	cr_expect_not_null(strstr(text, "UNCONFIRMED pair"), "%s", text);
	cr_expect_not_null(strstr(text, "figure1+0x1300"), "%s", text);
	cr_expect_not_null(strstr(text, "not created in 40 runs, and 2 more timed out (100 were planned)"), "%s", text);
	cr_expect_not_null(strstr(text, "DEADLOCK of 2 threads"), "%s", text);
	cr_expect_null(strstr(text, "HARMFUL"), "%s", text);
	free(text);
	text = written(&report, false, false);
	cr_expect_null(strstr(text, "DEADLOCK"), "%s", text);
	cr_expect_not_null(strstr(text, "unconfirmed 1 pair not reached, 1 failure not reproduced\n"), "%s", text);
	free(text);
	rfs_report_release(&report);
}

/* An unclear race is no finding, but it was created: the text names it and says how to find out what it is. */
Test(report, unclear_races_are_named)
{
	static const char *const parts[] = {
		"\nUNCLEAR: created (made to happen), but legal if both accesses are atomics",
		"\n    UNCLEAR race on z: prog+0x1, prog+0x2; rfsup --replay r\n",
		"\n    1 more is in unconfirmed.txt\n",
		"\nno debug information, so lines, variables and atomics are not known\n",
		"\n    /opt/app/prog: compile it with -g\n",
		"\nresult      nothing found, 4 unclear\n",
	};
	struct rfs_report report;
	size_t named = 0;
	char *text;

	rfs_report_init(&report);
	for (size_t i = 0; i < 4; i++) {
		struct rfs_report_pair *pair = rfs_report_add_pair(&report);

		pair->verdict = RFS_VERDICT_UNCLEAR;
		pair->confirmed = pair->runs = 1;
		pair->variable = xstrdup("z");
		pair->record = xstrdup("r");
		for (uint64_t k = 0; k < 2; k++) {
			pair->statement[k].place.module = xstrdup("/opt/app/prog");
			pair->statement[k].place.offset = 2 * i + k + 1;
		}
	}
	rfs_report_finish(&report);
	text = written(&report, false, false);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		cr_expect_not_null(strstr(text, parts[i]), "'%s' is missing in\n%s", parts[i], text);
	for (const char *p = text; (p = strstr(p, "UNCLEAR race")); p++)
		named++;
	cr_expect_eq(named, 3, "%zu in\n%s", named, text);
	cr_expect_eq(rfs_report_exit(&report), RFS_EXIT_CLEAN);
	free(text);
	/* an instruction without a line in a function that the debug information has */
	for (size_t i = 0; i < report.n_pairs; i++)
		report.pairs[i].statement[0].place.described = report.pairs[i].statement[1].place.described = true;
	text = written(&report, false, false);
	cr_expect_null(strstr(text, "no debug information"), "%s", text);
	free(text);
	rfs_report_release(&report);
}

Test(report, nothing_found_is_short)
{
	struct rfs_report report;
	char *text;
	size_t lines = 0;

	sample_report(&report, "/nonexistent.c");
	for (size_t i = 0; i < 300; i++)
		rfs_report_add_pair(&report)->runs = i % 2;
	for (size_t i = 0; i < report.n_pairs; i++)
		report.pairs[i].verdict = RFS_VERDICT_UNCONFIRMED;
	report.deadlocks[0].run.replayed = report.failures[0].run.replayed = RFS_REPLAY_DIFFERENT;
	report.incomplete = xstrdup("the budget of 1 s was used up");
	report.directory = xstrdup("rfsup.out.1");
	report.phases[2].planned = 0; /* the mode is a campaign, which does not sample */
	rfs_report_finish(&report);
	text = written(&report, false, false);
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	cr_expect_leq(lines, 10, "%s", text);
	cr_expect_not_null(strstr(text, "result      2 failures not reproduced, 302 unconfirmed\n"), "%s", text);
	cr_expect_not_null(strstr(text, "; listed in rfsup.out.1/unconfirmed.txt\n"), "%s", text);
	free(text);
	rfs_report_release(&report);
}
