/*
 * fasttrack_test.c - FastTrack on real programs. It reports only unordered accesses, so it must report nothing on fixed
 * programs, under any schedule. It must know all kinds of order: locks, messages through the kernel, reused memory.
 * Each ordered program has a control that differs by one edge.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/answers.h"
#include "tests/e2e/harness.h"

TestSuite(fasttrack, .timeout = 600);

#define FIRST_SEED "7" /* campaigns use seeds from 1, so these are other schedules */

struct parameter {
	struct answer answer;
	char program[ANSWER_NAME];
};

static void release(struct criterion_test_params *params)
{
	cr_free(params->params);
}

static void sample(struct e2e *e2e, const struct parameter *parameter)
{
	char *program = e2e_target("O2g", parameter->program);
	const char *args[16] = {"--policy", "random", "--detector",	      "fasttrack",   "--seed",
				FIRST_SEED, "--runs", e2e_full() ? "4" : "2", "--no-confirm"};
	size_t n = 9;

	args[n++] = program;
	for (size_t i = 0; i < parameter->answer.n_words; i++)
		args[n++] = parameter->answer.words[i];
	e2e_run(e2e, args);
	free(program);
}

static bool has_no_race(const struct answer *answer)
{
	return answer->kind == ANSWER_SILENT || answer->kind == ANSWER_PREDICTED_ONLY || answer->kind == ANSWER_BENCH;
}

/*
 * Orders that detectors do not know: locks on files, and the end of a once routine that throws an exception. And the
 * twin of vptr_changes stores a value that is there already: that is a race, but rfsup never creates it.
 */
static bool is_predicted(const struct answer *answer)
{
	static const char *const names[] = {"file_locks", "cxx_call_once", "vptr_changes"};
	bool is = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		is |= strcmp(answer->name, names[i]) == 0;
	return is;
}

/* Targets without a race, and twins of targets with a race. */
ParameterizedTestParameters(fasttrack, silent_where_nothing_races)
{
	static struct answer answers[ANSWERS_MAX];
	size_t n_answers = answers_of_check(answers, ANSWERS_MAX), n = 0;
	struct parameter *all = cr_malloc(n_answers * sizeof(*all));

	for (size_t i = 0; i < n_answers; i++) {
		if ((!has_no_race(&answers[i]) && !answers[i].twin[0]) || is_predicted(&answers[i]))
			continue;
		all[n].answer = answers[i];
		strcpy(all[n++].program, answers[i].twin[0] ? answers[i].twin : answers[i].name);
	}
	return cr_make_param_array(struct parameter, all, n, release);
}

ParameterizedTest(struct parameter *parameter, fasttrack, silent_where_nothing_races)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	sample(&e2e, parameter);
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, e2e_count(&e2e, "pairs") == 0, "%zu pairs\n%s", e2e_count(&e2e, "pairs"), e2e.said.out);
	e2e_end(&e2e);
}

static bool pair_is(const json_t *pair, const struct answer_mark marks[2])
{
	const json_t *statements = json_object_get(pair, "statements");
	bool at[2][2];

	for (size_t s = 0; s < 2; s++)
		for (size_t m = 0; m < 2; m++) {
			const json_t *place = json_array_get(statements, s);

			at[s][m] = answers_mark_has(&marks[m], json_string_value(json_object_get(place, "file")),
						    (unsigned)json_integer_value(json_object_get(place, "line")));
		}
	return (at[0][0] && at[1][1]) || (at[0][1] && at[1][0]);
}

/* In these targets the race happens in nearly every schedule, because no order of locks hides it. */
ParameterizedTestParameters(fasttrack, reports_what_happened)
{
	static const char *const certain[] = {"figure2",     "lost_update", "lost_update_inc", "check_then_act",
					      "torn_struct", "rwlock_mode", "dlopen_lib",      "static_prog"};
	static struct answer answers[ANSWERS_MAX];
	size_t n_answers = answers_read(answers, ANSWERS_MAX), n = 0;
	struct parameter *all = cr_malloc(n_answers * sizeof(*all));

	for (size_t i = 0; i < n_answers; i++)
		for (size_t k = 0; k < sizeof(certain) / sizeof(*certain); k++)
			if (strcmp(answers[i].name, certain[k]) == 0) {
				all[n].answer = answers[i];
				strcpy(all[n++].program, answers[i].name);
			}
	return cr_make_param_array(struct parameter, all, n, release);
}

ParameterizedTest(struct parameter *parameter, fasttrack, reports_what_happened)
{
	struct answer_mark marks[2];
	struct e2e e2e;
	bool found = false;

	for (int i = 0; i < 2; i++)
		answers_mark(parameter->answer.name, parameter->answer.pairs[0].mark[i], &marks[i]);
	e2e_begin(&e2e);
	sample(&e2e, parameter);
	for (size_t i = 0; i < e2e_count(&e2e, "pairs"); i++)
		found |= pair_is(e2e_item(&e2e, "pairs", i), marks);
	e2e_expect(&e2e, found, "%s:%s is not reported\n%s", parameter->answer.pairs[0].mark[0],
		   parameter->answer.pairs[0].mark[1], e2e.said.out);
	e2e_end(&e2e);
}

/* "programs/SOURCE KIND ordered" has no race. "programs/SOURCE KIND late" has one. */
static void expect_edges(const char *source, const char *const *kinds)
{
	static const char *const orders[] = {"ordered", "late"};

	for (; *kinds; kinds++)
		for (int late = 0; late < 2; late++) {
			struct e2e e2e;
			char *program;

			e2e_begin(&e2e);
			program = e2e_program(&e2e, source, "-O2 -g -pthread");
			e2e_run(&e2e, WORDS("--policy", "random", "--detector", "fasttrack", "--runs", "6",
					    "--sleep-race", "0", "--no-confirm", "--setup", "rm -f channels.socket",
					    program, *kinds, orders[late]));
			e2e_expect_status(&e2e, 0);
			e2e_expect(&e2e, (e2e_count(&e2e, "pairs") > 0) == late, "%zu pairs\n%s",
				   e2e_count(&e2e, "pairs"), e2e.said.out);
			e2e_end(&e2e);
			free(program);
		}
}

Test(fasttrack, what_goes_through_the_kernel_orders)
{
	expect_edges("channels.c", WORDS("pipe", "pair", "datagram", "event", "unix", "tcp", "epoll"));
}

Test(fasttrack, signals_between_threads_order)
{
	expect_edges("channels.c", WORDS("kill", "sigwait"));
}

Test(fasttrack, a_refused_unlock_is_no_release)
{
	expect_edges("owners.c", WORDS("errorcheck", "recursive", "robust", "inherit"));
}

Test(fasttrack, a_new_threads_local_variables_are_new)
{
	expect_edges("owners.c", WORDS("tls"));
}

/* A pair that was seen under a policy is created before it is called real. */
Test(fasttrack, a_race_under_a_policy_is_a_finding)
{
	static const struct {
		const char *target, *option;
		int status;
	} table[] = {
		{"lost_update", "--verbose", 1},
		{"lost_update", "--no-confirm", 0},
		{"lost_update_fixed", "--verbose", 0},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char *program = e2e_target("O2g", table[i].target);
		struct e2e e2e;

		e2e_begin(&e2e);
		e2e_run(&e2e, WORDS("--policy", "random", "--detector", "fasttrack", "--runs", "10", table[i].option,
				    program));
		e2e_expect_status(&e2e, table[i].status);
		e2e_expect(&e2e, (e2e_count(&e2e, "pairs") > 0) == (strcmp(table[i].target, "lost_update") == 0),
			   "%zu pairs", e2e_count(&e2e, "pairs"));
		e2e_end(&e2e);
		free(program);
	}
}
