/*
 * twins_test.c - a fixed twin is a good control only if it does what its target does. It must reach both statements of
 * each known race, and must never create the race. Target and twin have the statements at the same lines.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/harness.h"

TestSuite(twins, .timeout = 1000);

struct twin {
	struct answer answer;
	struct answer_pair pair;
};

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

/*
 * All marked pairs of targets with a twin. Optional pairs are left out, and so are pairs in a library's header, which
 * have no line in the target.
 */
ParameterizedTestParameters(twins, reach_both_statements)
{
	static struct answer answers[ANSWERS_MAX];
	size_t n_answers = answers_of_check(answers, ANSWERS_MAX), n = 0;
	struct twin *all = cr_malloc(n_answers * ANSWER_PAIRS * sizeof(*all));

	for (size_t i = 0; i < n_answers; i++)
		for (size_t k = 0; answers[i].twin[0] && k < answers[i].n_pairs; k++)
			if (answers[i].pairs[k].want != ANSWER_MAY && answers[i].pairs[k].want != ANSWER_LIBRARY)
				all[n++] = (struct twin){.answer = answers[i], .pair = answers[i].pairs[k]};
	return cr_make_param_array(struct twin, all, n, release);
}

/* Runs a campaign on one line of each mark. If a mark has several lines, some may have code only in the target. */
static void confirm(struct e2e *e2e, const struct twin *twin, const char *first, unsigned line, const char *second,
		    unsigned other_line, bool reached[2])
{
	const char *args[16] = {"--pairs=pairs", e2e_full() ? "--runs=20" : "--runs=4", "--explore=0"};
	char *program = e2e_target("O2g", twin->answer.twin), text[256];
	size_t n = 3;

	args[n++] = program;
	for (size_t i = 0; i < twin->answer.n_words; i++)
		args[n++] = twin->answer.words[i];
	snprintf(text, sizeof(text), "%s:%u %s:%u\n", first, line, second, other_line);
	spawn_file(e2e->folder, "pairs", text, strlen(text), 0644);
	e2e_run(e2e, args);
	if (e2e->said.status != 2 || !strstr(e2e->said.err, "has no code"))
		e2e_expect_silent(e2e);
	for (size_t i = 0; i < e2e_count(e2e, "pairs"); i++) {
		const json_t *counts = json_object_get(e2e_item(e2e, "pairs", i), "reached");

		for (size_t side = 0; side < 2; side++)
			reached[side] |= json_integer_value(json_array_get(counts, side)) > 0;
	}
	free(program);
}

ParameterizedTest(struct twin *twin, twins, reach_both_statements)
{
	bool reached[2] = {false, false};
	struct answer_mark mark[2];
	struct e2e e2e;

	e2e_begin(&e2e);
	for (int i = 0; i < 2; i++)
		answers_mark(twin->answer.name, twin->pair.mark[i], &mark[i]);
	for (size_t i = 0; i < mark[0].n_lines; i++)
		for (size_t j = 0; j < mark[1].n_lines; j++)
			confirm(&e2e, twin, mark[0].file, mark[0].lines[i], mark[1].file, mark[1].lines[j], reached);
	for (int side = 0; side < 2; side++)
		e2e_expect(&e2e, reached[side], "%s is not reached\n%s%s", twin->pair.mark[side], e2e.said.out,
			   e2e.said.err);
	e2e_end(&e2e);
}
