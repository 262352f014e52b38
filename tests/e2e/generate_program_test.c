/*
 * generate_program_test.c - the C program of a finding compiles with gcc and clang, fails in all replays, and passes in
 * all sequential orders. The script that checks all findings of a session does the work.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/generated.h"
#include "tests/e2e/harness.h"

TestSuite(generate_program, .timeout = 600);

static const struct row {
	const char *library;
	const char *options[6];
} rows[] = {
	{"gen_document", {"--tests", "40"}},			/* a failure */
	{"gen_label", {"--tests", "30", "--results"}},		/* wrong results; the short check ends here */
	{"gen_store", {"--tests", "40", "--only", "*_[nsu]*"}}, /* a deadlock */
	{"gen_feed", {"--tests", "40"}},			/* calls with descriptors */
};
#define N_ROWS e2e_rows(2, sizeof(rows) / sizeof(*rows))

/* Checks the findings of the session with the script. Returns what system() does; *said: what the script has printed.
 */
static int check(const struct e2e *e2e, char **said)
{
	char command[2 * PATH_MAX], path[PATH_MAX];
	int status;

	snprintf(path, sizeof(path), "%s/said", e2e->folder);
	snprintf(command, sizeof(command), "tests/bench/generate/findings.sh %s/out >%s 2>&1", e2e->folder, path);
	status = system(command);
	*said = e2e_text(path);
	return status;
}

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

ParameterizedTestParameters(generate_program, fails_and_passes_as_reported)
{
	size_t *all = cr_malloc(sizeof(*all) * N_ROWS);

	for (size_t i = 0; i < N_ROWS; i++)
		all[i] = i;
	return cr_make_param_array(size_t, all, N_ROWS, release);
}

ParameterizedTest(const size_t *i, generate_program, fails_and_passes_as_reported)
{
	const struct row *row = &rows[*i];
	struct e2e e2e;
	json_t *report;
	char *said;
	FILE *source;
	int status;

#ifdef __SANITIZE_ADDRESS__
	cr_skip("the script preloads the guard heap into rfsup, which a sanitizer refuses");
#endif
	e2e_begin(&e2e);
	report = generated(&e2e, row->library, row->library, row->options);
	e2e_expect_status(&e2e, 1);
	status = check(&e2e, &said);
	e2e_expect(&e2e, status == 0 && said && strstr(said, " 20/20 "), "%s", said ? said : "");
	free(said);
	/* the script notices a program that does not compile; once is enough */
	if (*i != 0) {
		json_decref(report);
		e2e_end(&e2e);
		return;
	}
	source = fopen(generated_string(json_object_get(generated_type(report, 0), "finding"), "program"), "a");
	e2e_expect(&e2e, source && fputs("\n#error\n", source) >= 0 && fclose(source) == 0, "no program");
	status = check(&e2e, &said);
	e2e_expect(&e2e, status != 0, "%s", said ? said : "");
	free(said);
	json_decref(report);
	e2e_end(&e2e);
}
