/*
 * generate_test.c - rfsup --generate on libraries with known answers (targets/lib/gen_*.c). The bug of each is found,
 * and confirmed by a C program. In its twin and in the safe types, nothing is found.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/generated.h"
#include "tests/e2e/harness.h"

TestSuite(generate, .timeout = 600);

#define GLOBS 4

/*
 * A library, and how its bug shows. Only functions that match the globs are called, so that few tests are enough.
 * First, those of the short check: each way to fail, C++, and calls with descriptors.
 */
static const struct row {
	const char *name, *kind;
	const char *only[GLOBS];
	const char *seed, *tests;
	const char *involved; /* what the report says of its cause; NULL: it may say nothing */
} rows[] = {
	{"gen_document", "abort", {"*_new", "*_add", "*_write"}, "1", "40", NULL},
	{"gen_config", "memory error", {"*_new", "*_set", "*_reload", "*_log"}, "1", "40", NULL},
	{"gen_store", "deadlock", {"*_new", "*_set", "*_undo"}, "1", "40", "locks at gen_store.c:"},
	{"gen_text", "memory error", {"*_new", "*_append", "*_equals"}, "2", "40", "race of gen_text.c:"},
	{"gen_roster", "memory error", {"*::Roster(*", "*::set(*", "*_best(*", "*::best(*"}, "2", "40", NULL},
	{"gen_feed", "memory error", {"*_new", "*_read"}, "1", "40", NULL},
	{"gen_pool", "deadlock", {"*_new", "*_pause", "*_resume"}, "1", "40", NULL},
	{"gen_queue", "memory error", {"*_new", "*_push", "*_pop"}, "1", "40", NULL},
	{"gen_cache", "memory error", {"*_new", "*_set", "*_drop"}, "1", "40", NULL},
	{"gen_registry", "memory error", {"*_new", "*_add", "*_get", "*_remove"}, "1", "40", NULL},
	{"gen_slots", "deadlock", {"*_new", "*_take", "*_give"}, "1", "40", NULL},
	{"gen_journal", "memory error", {"*_new", "*_add", "*_print"}, "1", "40", NULL},
	{"gen_mailbox", "memory error", {"*_new", "*_put", "*_take"}, "1", "40", NULL},
	{"gen_table", "memory error", {"*_new", "*_set", "*_visit"}, "1", "40", NULL},
	{"gen_latch", "abort", {"*_new", "*_enter", "*_leave", "*_put"}, "1", "40", NULL},
};
#define N_ROWS (sizeof(rows) / sizeof(*rows))

/* first, those of the short check: the other three are in generate_results_test.c or alike */
static const char *const controls[] = {"gen_ok_gmutex", "gen_ok_recursive", "gen_ok_stack",
				       "gen_ok_rwlock", "gen_ok_worker",    "gen_ok_counters"};
#define N_CONTROLS (sizeof(controls) / sizeof(*controls))

static json_t *generate_row(struct e2e *e2e, const struct row *row, const char *library, const char *runs)
{
	const char *options[2 * GLOBS + 9] = {"--tests", row->tests, "--seed", row->seed, "--runs", runs};
	size_t n = 6;

	for (size_t i = 0; i < GLOBS && row->only[i]; i++) {
		options[n++] = "--only";
		options[n++] = row->only[i];
	}
	return generated(e2e, library, row->name, options);
}

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

/* Numbers below n. */
static struct criterion_test_params numbers(size_t n)
{
	size_t *all = cr_malloc(n * sizeof(*all));

	for (size_t i = 0; i < n; i++)
		all[i] = i;
	return cr_make_param_array(size_t, all, n, release);
}

ParameterizedTestParameters(generate, bugs_are_found)
{
	return numbers(e2e_rows(6, N_ROWS));
}

ParameterizedTest(const size_t *i, generate, bugs_are_found)
{
	const struct row *row = &rows[*i];
	struct e2e e2e;
	json_t *report, *finding;

	e2e_begin(&e2e);
	report = generate_row(&e2e, row, row->name, e2e_full() ? "100" : "50");
	finding = json_object_get(generated_type(report, 0), "finding");
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strcmp(generated_string(finding, "kind"), row->kind) == 0, "not '%s'\n%s", row->kind,
		   e2e.said.out);
	e2e_expect(&e2e, json_is_true(json_object_get(finding, "confirmed")), "not confirmed\n%s", e2e.said.out);
	e2e_expect(&e2e, !row->involved || strstr(generated_string(finding, "involved"), row->involved),
		   "cause: '%s'\n%s", generated_string(finding, "involved"), e2e.said.out);
	json_decref(report);
	e2e_end(&e2e);
}

ParameterizedTestParameters(generate, nothing_is_found_in_twins)
{
	return numbers(e2e_rows(6, N_ROWS));
}

ParameterizedTest(const size_t *i, generate, nothing_is_found_in_twins)
{
	struct row row = rows[*i];
	char library[128];
	struct e2e e2e;
	json_t *report;

	row.tests = e2e_full() ? "12" : "5";
	snprintf(library, sizeof(library), "%s_fixed", row.name);
	e2e_begin(&e2e);
	report = generate_row(&e2e, &row, library, "30");
	generated_nothing(&e2e, report);
	json_decref(report);
	e2e_end(&e2e);
}

ParameterizedTestParameters(generate, nothing_is_found_in_safe_types)
{
	return numbers(e2e_rows(3, N_CONTROLS));
}

ParameterizedTest(const size_t *i, generate, nothing_is_found_in_safe_types)
{
	const char *const options[] = {"--tests", e2e_full() ? "12" : "6", "--runs", "30", NULL};
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	report = generated(&e2e, controls[*i], controls[*i], options);
	generated_nothing(&e2e, report);
	json_decref(report);
	e2e_end(&e2e);
}

/* Its first bug is a deadlock or a memory error, and the tests go on until the other one is found. */
Test(generate, a_type_may_have_several_findings)
{
	static const char *const options[] = {"--tests", "60", "--findings", "2", NULL};
	static const char *const twin_options[] = {"--tests", "12", "--findings", "2", NULL};
	const json_t *found[2];
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	report = generated(&e2e, "gen_desk", "gen_desk", options);
	found[0] = json_object_get(generated_type(report, 0), "finding");
	found[1] = json_array_get(json_object_get(generated_type(report, 0), "other_findings"), 0);
	e2e_expect(&e2e, found[0] && found[1], "not two\n%s", e2e.said.out);
	for (int i = 0; i < 2; i++)
		e2e_expect(&e2e, json_is_true(json_object_get(found[i], "confirmed")), "%d: not confirmed\n%s", i,
			   e2e.said.out);
	e2e_expect(&e2e,
		   (strcmp(generated_string(found[0], "kind"), "deadlock") == 0) !=
			   (strcmp(generated_string(found[1], "kind"), "deadlock") == 0),
		   "not a deadlock and a memory error\n%s", e2e.said.out);
	json_decref(report);
	e2e_end(&e2e);

	e2e_begin(&e2e);
	report = generated(&e2e, "gen_desk_fixed", "gen_desk", e2e_full() ? options : twin_options);
	generated_nothing(&e2e, report);
	json_decref(report);
	e2e_end(&e2e);
}
