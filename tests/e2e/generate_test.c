/*
 * generate_test.c - rfsup --generate on libraries with known answers (targets/lib/gen_*.c). The bug of each is found,
 * and confirmed by a C program. In its twin and in the safe types, nothing is found.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(generate, .timeout = 600);

/* So long that the budget never ends a session. */
#define BUDGET "800"
#define GLOBS 4

/* A library, and how its bug shows. Only functions that match the globs are called, so that few tests are enough. */
static const struct row {
	const char *name, *kind;
	const char *only[GLOBS];
	const char *seed, *tests;
	const char *involved; /* what the report says of its cause; NULL: it may say nothing */
} rows[] = {
	{"gen_document", "abort", {"*_new", "*_add", "*_write"}, "1", "40", NULL},
	{"gen_config", "memory error", {"*_new", "*_set", "*_reload", "*_log"}, "5", "40", NULL},
	{"gen_text", "memory error", {"*_new", "*_append", "*_equals"}, "1", "40", "race of gen_text.c:"},
	{"gen_queue", "memory error", {"*_new", "*_push", "*_pop"}, "1", "40", NULL},
	{"gen_pool", "deadlock", {"*_new", "*_pause", "*_resume"}, "2", "40", NULL},
	{"gen_cache", "memory error", {"*_new", "*_set", "*_drop"}, "4", "40", NULL},
	{"gen_store", "deadlock", {"*_new", "*_set", "*_undo"}, "1", "40", "locks at gen_store.c:"},
	{"gen_registry", "memory error", {"*_new", "*_add", "*_get", "*_remove"}, "1", "40", NULL},
	{"gen_roster", "memory error", {"*::Roster(*", "*::set(*", "*_best(*", "*::best(*"}, "2", "40", "race of "},
	{"gen_slots", "deadlock", {"*_new", "*_take", "*_give"}, "3", "40", NULL},
	{"gen_table", "memory error", {"*_new", "*_set", "*_visit"}, "3", "40", NULL},
};
#define N_ROWS (sizeof(rows) / sizeof(*rows))

static const char *const controls[] = {"gen_ok_gmutex", "gen_ok_recursive", "gen_ok_rwlock",
				       "gen_ok_worker", "gen_ok_counters",  "gen_ok_stack"};
#define N_CONTROLS (sizeof(controls) / sizeof(*controls))

/* The report of a session on a library with a header of targets/lib. The caller releases it. */
static json_t *generate(struct e2e *e2e, const char *library, const char *header, const char *const *options)
{
	char name[128], path[PATH_MAX], file[PATH_MAX], *absolute, *target;
	const char *args[40] = {"--generate", NULL,   "--header", NULL,	      "-o",  "out",
				"--format",   "json", "--quiet",  "--budget", BUDGET};
	size_t n = 11;
	json_t *report;

	snprintf(name, sizeof(name), "lib%s.so", library);
	target = e2e_target("O2g", name);
	snprintf(path, sizeof(path), "targets/lib/%s.h", header);
	absolute = realpath(path, file);
	if (!absolute) {
		snprintf(path, sizeof(path), "targets/lib/%s.hpp", header);
		absolute = realpath(path, file);
	}
	cr_assert_not_null(absolute, "%s", path);
	args[1] = target;
	args[3] = file;
	while (*options)
		args[n++] = *options++;
	e2e_say(e2e, args);
	report = json_loads(e2e->said.out, 0, NULL);
	e2e_expect(e2e, report, "no report\n%s%s", e2e->said.out, e2e->said.err);
	free(target);
	return report;
}

static json_t *generate_row(struct e2e *e2e, const struct row *row, const char *library, const char *runs)
{
	const char *options[2 * GLOBS + 9] = {"--tests", row->tests, "--seed", row->seed, "--runs", runs};
	size_t n = 6;

	for (size_t i = 0; i < GLOBS && row->only[i]; i++) {
		options[n++] = "--only";
		options[n++] = row->only[i];
	}
	return generate(e2e, library, row->name, options);
}

static const char *string(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static json_t *type_at(const json_t *report, size_t i)
{
	return json_array_get(json_object_get(report, "types"), i);
}

/* Some type had tests, and no type has a finding or a failure that was dismissed. */
static void expect_nothing(struct e2e *e2e, json_t *report)
{
	json_int_t n_tests = 0;
	json_t *type;
	size_t i;

	e2e_expect_status(e2e, 0);
	json_array_foreach(json_object_get(report, "types"), i, type)
	{
		n_tests += json_integer_value(json_object_get(type, "tests"));
		e2e_expect(e2e, strcmp(string(type, "verdict"), "thread-unsafe") != 0, "a finding\n%s", e2e->said.out);
		e2e_expect(e2e, json_integer_value(json_object_get(type, "dismissed")) == 0, "dismissed\n%s",
			   e2e->said.out);
	}
	e2e_expect(e2e, n_tests > 0, "no tests\n%s", e2e->said.out);
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
	return numbers(N_ROWS);
}

ParameterizedTest(const size_t *i, generate, bugs_are_found)
{
	const struct row *row = &rows[*i];
	struct e2e e2e;
	json_t *report, *finding;

	e2e_begin(&e2e);
	report = generate_row(&e2e, row, row->name, "100");
	finding = json_object_get(type_at(report, 0), "finding");
	e2e_expect_status(&e2e, 1);
	e2e_expect(&e2e, strcmp(string(finding, "kind"), row->kind) == 0, "not '%s'\n%s", row->kind, e2e.said.out);
	e2e_expect(&e2e, json_is_true(json_object_get(finding, "confirmed")), "not confirmed\n%s", e2e.said.out);
	e2e_expect(&e2e, !row->involved || strstr(string(finding, "involved"), row->involved), "cause: '%s'\n%s",
		   string(finding, "involved"), e2e.said.out);
	json_decref(report);
	e2e_end(&e2e);
}

ParameterizedTestParameters(generate, nothing_is_found_in_twins)
{
	return numbers(N_ROWS);
}

ParameterizedTest(const size_t *i, generate, nothing_is_found_in_twins)
{
	struct row row = rows[*i];
	char library[128];
	struct e2e e2e;
	json_t *report;

	row.tests = "12";
	snprintf(library, sizeof(library), "%s_fixed", row.name);
	e2e_begin(&e2e);
	report = generate_row(&e2e, &row, library, "30");
	expect_nothing(&e2e, report);
	json_decref(report);
	e2e_end(&e2e);
}

ParameterizedTestParameters(generate, nothing_is_found_in_safe_types)
{
	return numbers(N_CONTROLS);
}

ParameterizedTest(const size_t *i, generate, nothing_is_found_in_safe_types)
{
	static const char *const options[] = {"--tests", "12", "--runs", "30", NULL};
	struct e2e e2e;
	json_t *report;

	e2e_begin(&e2e);
	report = generate(&e2e, controls[*i], controls[*i], options);
	expect_nothing(&e2e, report);
	json_decref(report);
	e2e_end(&e2e);
}
