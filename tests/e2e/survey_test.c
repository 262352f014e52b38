/*
 * survey_test.c - runs with a detector settle reports of other tools: accesses that never run, or that nothing allows
 * at once. A race that can be created is never settled by them. The program may have no debug information, and no
 * symbols.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(survey, .timeout = 300);

struct reported {
	const char *first, *second; /* functions of targets/report_paths.c */
};

static const struct reported reported[] = {
	{"add_open", "add_open"},
	{"add_locked", "add_locked"},
	{"add_optional", "add_optional"},
	{"add_early", "get_early"},
};
enum { OPEN, LOCKED, OPTIONAL, EARLY, N };

/* Reports of ThreadSanitizer without files and lines. */
static void put_reports(const struct e2e *e2e)
{
	char text[4096];
	size_t n = 0;

	for (size_t i = 0; i < N; i++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"==================\nWARNING: ThreadSanitizer: data race (pid=%d)\n"
			"  %s of size 4 at 0x55d0000%05zu by thread T2:\n    #0 %s <null> (paths+0x1%03zu)\n\n"
			"  Previous write of size 4 at 0x55d0000%05zu by thread T1:\n"
			"    #0 %s <null> (paths+0x2%03zu)\n\n==================\n",
			7, i == EARLY ? "Read" : "Write", 10 * i, reported[i].second, i, 10 * i, reported[i].first, i);
	spawn_file(e2e->folder, "reports", text, n, 0600);
}

/* The result of a report, and why; "" if there is none. */
static const char *part(const struct e2e *e2e, size_t i, const char *key)
{
	const json_t *list = json_object_get(json_object_get(e2e->report, "triage"), "list");
	const char *text = json_string_value(json_object_get(json_array_get(list, i), key));

	return text ? text : "";
}

static void expect(struct e2e *e2e, size_t i, const char *result, const char *why)
{
	e2e_expect(e2e, strcmp(part(e2e, i, "result"), result) == 0, "%s is %s", reported[i].first,
		   part(e2e, i, "result"));
	e2e_expect(e2e, why ? strstr(part(e2e, i, "why"), why) != NULL : !*part(e2e, i, "why"), "%s: %s",
		   reported[i].first, part(e2e, i, "why"));
}

/* Puts a copy of the program without its debug information, or without all its names, into the folder. */
static void strip(struct e2e *e2e, const char *option, const char *program)
{
	char command[4200];

	snprintf(command, sizeof(command), "strip %s -o stripped '%s'", option, program);
	e2e_expect_command(e2e, command);
}

/* option: what strip removes from the program; NULL: nothing. created: the result of a race that can be created; NULL:
 * there is none. */
static void check(const char *option, const char *name, const char *created, const char *argument)
{
	const bool racy = created != NULL;
	char *built = e2e_target("O2g", name);
	const char *program = option ? "./stripped" : built;
	struct e2e e2e;

	e2e_begin(&e2e);
	if (option)
		strip(&e2e, option, built);
	put_reports(&e2e);
	e2e_run(&e2e, WORDS("--runs", "4", "--triage", "reports", program, argument));
	e2e_expect_status(&e2e, racy && strcmp(created, "real") == 0 ? 1 : 0);
	if (racy) {
		expect(&e2e, OPEN, created, NULL);
		expect(&e2e, LOCKED, "not created", "under one lock, atomic or of different memory in 3 runs");
		expect(&e2e, EARLY, "not created", "the accesses were ordered");
		if (argument)
			expect(&e2e, OPTIONAL, created, NULL);
		else
			expect(&e2e, OPTIONAL, "not created", "both accesses never ran in 3 runs with a detector");
	} else {
		for (size_t i = 0; i < N; i++)
			e2e_expect(&e2e, strcmp(part(&e2e, i, "result"), "real") != 0, "%s is real", reported[i].first);
	}
	e2e_end(&e2e);
	free(built);
}

Test(survey, settles_what_cannot_happen)
{
	check(NULL, "report_paths", "real", NULL);
}

Test(survey, settles_no_race_that_can_be_created)
{
	check(NULL, "report_paths", "real", "optional");
}

/* Functions have names, but nothing says that the accesses are not atomic. */
Test(survey, needs_no_debug_information)
{
	check("-g", "report_paths", "unclear", NULL);
	check("-g", "report_paths", "unclear", "optional");
}

Test(survey, atomics_are_no_race)
{
	check(NULL, "report_paths_fixed", NULL, "optional");
}

/* Nothing names the functions, so nothing is matched, and the status says that the reports were not tested. */
Test(survey, a_program_without_symbols)
{
	char *program = e2e_target("O2g", "report_paths");
	struct e2e e2e;

	e2e_begin(&e2e);
	put_reports(&e2e);
	strip(&e2e, "--strip-all", program);
	e2e_run(&e2e, WORDS("--runs", "4", "--triage", "reports", "./stripped"));
	e2e_expect_status(&e2e, 4);
	for (size_t i = 0; i < N; i++)
		expect(&e2e, i, "not matched", "access: ");
	e2e_end(&e2e);
	free(program);
}

/* DRD names one access. If no other thread has a conflicting one, this is a verdict too. */
Test(survey, lone_accesses)
{
	static const char text[] = "==7== drd, a thread error detector\n"
				   "==7== Conflicting load by thread 3 at 0x0010c0c8 size 4\n"
				   "==7==    at 0x109270: get_early (report_paths.c)\n==7== \n"
				   "==7== Conflicting store by thread 3 at 0x0010c0f0 size 4\n"
				   "==7==    at 0x109230: add_open (report_paths.c)\n==7== \n"
				   "==7== Conflicting store by thread 3 at 0x0010c0f8 size 4\n"
				   "==7==    at 0x109250: add_optional (report_paths.c)\n==7== \n";
	char *program = e2e_target("O2g", "report_paths");
	struct e2e e2e;

	e2e_begin(&e2e);
	spawn_file(e2e.folder, "reports", text, sizeof(text) - 1, 0600);
	e2e_run(&e2e, WORDS("--runs", "4", "--triage", "reports", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strcmp(part(&e2e, 0, "result"), "not created") == 0, "load: %s", part(&e2e, 0, "result"));
	e2e_expect(&e2e, strstr(part(&e2e, 0, "why"), "no other thread had a conflicting access") != NULL, "%s",
		   part(&e2e, 0, "why"));
	e2e_expect(&e2e, strcmp(part(&e2e, 1, "result"), "real") == 0, "store: %s", part(&e2e, 1, "result"));
	e2e_expect(&e2e, strcmp(part(&e2e, 2, "result"), "not created") == 0, "store: %s", part(&e2e, 2, "result"));
	e2e_expect(&e2e, strstr(part(&e2e, 2, "why"), "never ran") != NULL, "%s", part(&e2e, 2, "why"));
	e2e_end(&e2e);
	free(program);
}

/* 40 reports under a budget: one run tries many of them. Each gets a verdict, and each race that was created has a run
 * that shows it. */
Test(survey, many_reports_are_tried_at_once)
{
	char *program = e2e_target("O2g", "report_many"), *text = NULL;
	struct e2e e2e;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	cr_assert_not_null(out);
	for (int i = 0; i < 40; i++)
		fprintf(out,
			"WARNING: ThreadSanitizer: data race (pid=7)\n  Write of size 4 at 0x55d000001%03d by thread "
			"T2:\n"
			"    #0 add_%02d <null> (many+0x1%03d)\n\n  Previous write of size 4 at 0x55d000001%03d by "
			"thread "
			"T1:\n    #0 add_%02d <null> (many+0x1%03d)\n\n==================\n",
			i, i, i, i, i, i);
	fclose(out);
	e2e_begin(&e2e);
	spawn_file(e2e.folder, "reports", text, n, 0600);
	/* enough time for all runs on any machine, so that the result is the same */
	e2e_run(&e2e, WORDS("--runs", "2", "--budget", "240", "--verbose", "--triage", "reports", program));
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strstr(e2e.said.err, "run joint-1-seed-1: tried 20 pairs") != NULL, "%s", e2e.said.err);
	for (size_t i = 0; i < 40; i++) {
		e2e_expect(&e2e, strcmp(part(&e2e, i, "result"), i % 2 ? "not created" : "real") == 0,
			   "add_%02zu is %s", i, part(&e2e, i, "result"));
		e2e_expect(&e2e, !(i % 2) || strstr(part(&e2e, i, "why"), "ordered") != NULL, "add_%02zu: %s", i,
			   part(&e2e, i, "why"));
	}
	e2e_expect_replay(&e2e, e2e_item(&e2e, "pairs", 0));
	e2e_end(&e2e);
	free(program);
	free(text);
}
