/* passes_test.c - predicting runs in two passes find the pairs of one pass, whatever the program is. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/builds.h"
#include "tests/e2e/harness.h"

TestSuite(passes, .timeout = 1000);

static char *pairs_of(const struct e2e *e2e)
{
	char path[4096], *text;

	snprintf(path, sizeof(path), "%s/out/pairs.txt", e2e->folder);
	text = e2e_text(path);
	return text ? text : strdup("");
}

/* Runs rfsup with these words, with and without passes. Returns how many lines the pairs have. The status is not
 * compared, because it depends on the uncontrolled runs, too. */
static size_t compare(struct e2e *e2e, const char *const *words)
{
	const char *args[32] = {"--no-two-pass"};
	char *one, *two;
	size_t n = 0, lines = 0;

	while (words[n])
		args[n + 1] = words[n], n++;
	e2e_run(e2e, args);
	one = pairs_of(e2e);
	e2e_run(e2e, words);
	two = pairs_of(e2e);
	e2e_expect(e2e, strcmp(one, two) == 0, "two passes:\n%s\none pass:\n%s", two, one);
	e2e_expect(e2e, !strstr(e2e->said.err, "took another course"), "%s", e2e->said.err);
	for (const char *at = two; (at = strchr(at, '\n')); at++)
		lines++;
	free(one);
	free(two);
	return lines;
}

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

ParameterizedTestParameters(passes, find_the_pairs_of_each_target)
{
	static struct answer answers[ANSWERS_MAX];
	size_t n = answers_of_check(answers, ANSWERS_MAX);
	struct answer *all = cr_malloc(n * sizeof(*all));
	size_t kept = 0;

	/* determinism_test.c and fork_server_test.c have the others in the short check */
	for (size_t i = 0; i < n; i++)
		if (e2e_full() || i % 3 == 2)
			all[kept++] = answers[i];
	return cr_make_param_array(struct answer, all, kept, release);
}

/* Runs one build of the target under the first seeds. */
static void compare_seeds(const struct answer *answer, const char *variant, const char *name, int seeds)
{
	char *program = e2e_target(variant, name);

	for (int seed = 1; seed <= seeds; seed++) {
		char word[32];
		/* only the first run of a sampling is made in two passes, whatever it is */
		const char *words[16] = {
			"--policy=random", "--detector=hybrid", "--no-confirm", "--runs=1", word, program};
		struct e2e e2e;

		snprintf(word, sizeof(word), "--seed=%d", seed);
		for (size_t i = 0; i < answer->n_words; i++)
			words[6 + i] = answer->words[i];
		e2e_begin(&e2e);
		(void)compare(&e2e, words);
		e2e_end(&e2e);
	}
	free(program);
}

/* A target. In a full check, its twin too, and some other builds of the target under one seed. */
ParameterizedTest(struct answer *answer, passes, find_the_pairs_of_each_target)
{
	for (int twin = 0; twin <= (e2e_full() && answer->twin[0]); twin++)
		compare_seeds(answer, "O2g", twin ? answer->twin : answer->name, e2e_full() ? 2 : 1);
	for (size_t i = 0; e2e_full() && i < BUILDS; i++)
		if (builds_has(builds[i]) && strcmp(builds[i], "O2g") != 0 && (i + strlen(answer->name)) % 2)
			compare_seeds(answer, builds[i], answer->name, 1);
}

/* The second pass replays what the client sent to the first one. */
Test(passes, find_the_pairs_of_a_server_with_a_client)
{
	char port[16], drive[8192], *client, *program;
	struct e2e e2e;

	e2e_begin(&e2e);
	snprintf(port, sizeof(port), "%d", 20000 + getpid() % 12000);
	client = e2e_program(&e2e, "asks.c", "-O2");
	program = e2e_program(&e2e, "serves.c", "-O2 -g");
	snprintf(drive, sizeof(drive), "--drive=%s %s 2 1 20 300", client, port);
	e2e_expect(&e2e,
		   compare(&e2e, WORDS(drive, "--policy=random", "--detector=hybrid", "--no-confirm", "--runs=3",
				       "--timeout=30", program, port)) > 1,
		   "no pair");
	free(client);
	free(program);
	e2e_end(&e2e);
}

/* Each run of the program does something else, so a repetition never is the same run. */
Test(passes, say_that_a_repetition_differs)
{
	char *program;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "counts_runs.c", "-O1 -g -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--detector=hybrid", "--no-confirm", "--runs=2", program));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, strstr(e2e.said.err, "took another course"), "%s", e2e.said.err);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 1, "%s", e2e.said.out);
	e2e_run(&e2e,
		WORDS("--policy=random", "--detector=hybrid", "--no-confirm", "--runs=2", "--no-two-pass", program));
	e2e_expect(&e2e, !strstr(e2e.said.err, "took another course"), "%s", e2e.said.err);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 1, "%s", e2e.said.out);
	free(program);
	e2e_end(&e2e);
}
