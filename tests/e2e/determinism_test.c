/*
 * The same seed is the same run: every target that takes nothing from the outside gives one trace hash, however often
 * it is run; one that does is caught.
 *
 * A hash is compared over separate invocations of rfsup: nothing but the seed connects them. RFSUP_CHECK_FULL: 1,000 of
 * them for each target.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/harness.h"

TestSuite(determinism, .timeout = 3600);

#define TARGETS 128
#define TIMES 20
#define TIMES_FULL 1000
#define HASH 64

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

/* The hash of one run under random with this seed. */
static void sample(struct e2e *e2e, const char *program, const struct answer *answer, char hash[HASH])
{
	const char *args[16] = {"--policy=random", "--runs=1", "--seed=7", program};
	const json_t *orders;
	const char *text;
	size_t n = 4;

	for (size_t i = 0; answer && i < answer->n_words; i++)
		args[n++] = answer->words[i];
	args[n] = NULL;
	e2e_run(e2e, args);
	orders = json_object_get(json_object_get(e2e->report, "sampling"), "orders");
	text = json_string_value(json_object_get(json_array_get(orders, 0), "hash"));
	e2e_expect(e2e, json_array_size(orders) == 1 && text && strlen(text) == 32, "no hash of one run\n%s%s",
		   e2e->said.out, e2e->said.err);
	snprintf(hash, HASH, "%s", text ? text : "");
}

ParameterizedTestParameters(determinism, same_seed_same_hash)
{
	struct answer *all = cr_malloc(TARGETS * sizeof(*all));
	size_t n = answers_read(all, TARGETS), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].kind != ANSWER_DIVERGES)
			all[kept++] = all[i];
	return cr_make_param_array(struct answer, all, kept, release);
}

ParameterizedTest(struct answer *answer, determinism, same_seed_same_hash)
{
	char *program = e2e_target("O2g", answer->name), first[HASH], hash[HASH];
	int times = e2e_full() ? TIMES_FULL : TIMES;
	struct e2e e2e;

	e2e_begin(&e2e);
	sample(&e2e, program, answer, first);
	for (int i = 1; i < times && !e2e.failed; i++) {
		sample(&e2e, program, answer, hash);
		e2e_expect(&e2e, strcmp(hash, first) == 0, "run %d has hash %s, the first %s", i, hash, first);
	}
	e2e_end(&e2e);
	free(program);
}

Test(determinism, what_comes_from_outside_makes_another_run)
{
	char *program = e2e_target("O2g", "prints_outside"), first[HASH], hash[HASH];
	bool differs = false;
	struct e2e e2e;

	e2e_begin(&e2e);
	sample(&e2e, program, NULL, first);
	/* it counts up to a number of 61, so that two runs are the same by chance now and then */
	for (int i = 0; i < 10 && !differs; i++) {
		sample(&e2e, program, NULL, hash);
		differs = strcmp(hash, first) != 0;
	}
	e2e_expect(&e2e, differs, "ten runs have hash %s", first);
	e2e_end(&e2e);
	free(program);
}

/* Its own process id, in each way that a program can say something: another hash; unsaid: the same. */
Test(determinism, all_output_is_part_of_the_hash)
{
	static const char *const ways[] = {"nothing", "write", "writev", "vmsplice", "send", "sendmsg", "sendmmsg"};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "says.c", "-O2 -g");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct answer answer = {.n_words = 1};
		char first[HASH], second[HASH];

		snprintf(answer.words[0], sizeof(answer.words[0]), "%s", ways[i]);
		sample(&e2e, program, &answer, first);
		sample(&e2e, program, &answer, second);
		e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0, "%s fails", ways[i]);
		e2e_expect(&e2e, (strcmp(first, second) == 0) == (i == 0), "%s: hashes %s and %s", ways[i], first,
			   second);
	}
	e2e_end(&e2e);
	free(program);
}

Test(determinism, replay_says_that_it_diverged)
{
	struct e2e e2e;
	char *program, *record = NULL;
	bool differs = false;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "outside.c", "-O2 -g");
	e2e_run(&e2e, WORDS("--runs=10", "--explore=0", program));
	e2e_expect_status(&e2e, 1);
	record = e2e_record(&e2e, e2e_item(&e2e, "pairs", 0));
	e2e_expect(&e2e, record, "the race is not recorded");
	for (int i = 0; record && i < 10 && !differs; i++) {
		e2e_say(&e2e, WORDS("--replay", record));
		differs = e2e.said.status == 3;
		e2e_expect(&e2e, differs == (strstr(e2e.said.err, "diverged") != NULL), "status %d, but it says: %s",
			   e2e.said.status, e2e.said.err);
	}
	e2e_expect(&e2e, differs, "ten replays are the same");
	e2e_end(&e2e);
	free(record);
	free(program);
}
