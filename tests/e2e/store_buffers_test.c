/*
 * store_buffers_test.c - programs that need a fence fail with --memory-model tso, and only with it. Their twins have
 * the fence and never fail. The runs replay, have few delays after --simplify, and say what was delayed.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(store_buffers, .timeout = 3600);

/* first, those of the short check */
static const char *const needy[] = {"tso_dekker", "tso_seqlock", "tso_peterson", "tso_deque"};
#define N_NEEDY e2e_rows(2, sizeof(needy) / sizeof(*needy))

static void run_campaign(struct e2e *e2e, const char *name, const char *model, const char *seed)
{
	char *target = e2e_target("O2g", name);

	e2e_run(e2e, (const char *[]){"--memory-model", model, "--seed", seed, "--runs", e2e_full() ? "100" : "10",
				      "--explore", e2e_full() ? "200" : "80", "--", target, NULL});
	free(target);
}

Test(store_buffers, a_missing_fence_is_found_by_a_campaign)
{
	for (size_t i = 0; i < N_NEEDY; i++) {
		char *record, *replay;
		struct e2e e2e;

		e2e_begin(&e2e);
		run_campaign(&e2e, needy[i], "tso", "1");
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, e2e_count(&e2e, "failures") > 0, "%s: no failure", needy[i]);
		e2e_expect(&e2e, e2e.said.out && strstr(e2e.said.out, "makes visible"), "%s: no delay in the story",
			   needy[i]);
		e2e_expect(&e2e, json_is_true(json_object_get(e2e_item(&e2e, "failures", 0), "needs_delays")),
			   "%s: it would fail without delays, too", needy[i]);
		record = e2e_failing_record(&e2e, 0);
		e2e_expect(&e2e, record != NULL, "%s: no record", needy[i]);
		if (record) {
			replay = e2e_text(record);
			e2e_expect(&e2e, replay && strstr(replay, "\"tso\":true"), "the record does not say tso");
			free(replay);
			e2e_expect_same_replay(&e2e, record);
		}
		free(record);
		e2e_end(&e2e);
	}
}

Test(store_buffers, nothing_is_found_without_delays)
{
	for (size_t i = 0; i < N_NEEDY; i++) {
		struct e2e e2e;

		e2e_begin(&e2e);
		run_campaign(&e2e, needy[i], "sc", "1");
		e2e_expect_silent(&e2e);
		e2e_end(&e2e);
	}
}

Test(store_buffers, a_fence_is_enough)
{
	for (size_t i = 0; i <= N_NEEDY; i++) {
		char name[64];
		struct e2e e2e;

		/* the usual sequence lock needs no fence on x86 */
		snprintf(name, sizeof(name), i < N_NEEDY ? "%s_fixed" : "seqlock_usual", i < N_NEEDY ? needy[i] : "");
		e2e_begin(&e2e);
		run_campaign(&e2e, name, "tso", "1");
		e2e_expect_silent(&e2e);
		e2e_end(&e2e);
	}
}

/* 100 times in a full check */
Test(store_buffers, a_record_is_replayed_again_and_again)
{
	char *target = e2e_target("O2g", "tso_peterson"), *record;
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_run(&e2e, (const char *[]){"--memory-model", "tso", "--policy", "pos", "--points", "memory",
				       "--until-failure", "--runs", "1000", "--", target, NULL});
	e2e_expect_status(&e2e, 1);
	record = e2e_failing_record(&e2e, 0);
	e2e_expect(&e2e, record != NULL, "no failure");
	for (int i = 0; record && i < (e2e_full() ? 100 : 5); i++)
		e2e_expect_same_replay(&e2e, record);
	free(record);
	free(target);
	e2e_end(&e2e);
}

/*
 * The program checks itself: its loads find its own stores, of all sizes and forms, and no store is lost. With memory
 * points all stores enter the buffer by themselves; with the points of a pair most follow others.
 */
Test(store_buffers, a_thread_sees_its_own_stores_and_none_is_lost)
{
	static const char *const seeds[] = {"1", "2", "3", "4"}; /* the short check has two */
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "stores.c", "-O2 -g");
	for (size_t i = 0; program && i < e2e_rows(2, sizeof(seeds) / sizeof(*seeds)); i++) {
		e2e_run(&e2e, (const char *[]){"--memory-model", "tso", "--policy", "random,pos,delay,pct", "--points",
					       i % 2 ? "races" : "memory", "--runs", e2e_full() ? "15" : "2", "--",
					       program, seeds[i], "20", NULL});
		e2e_expect(&e2e, e2e_count(&e2e, "failures") == 0, "seed %s: a load or the end is wrong", seeds[i]);
	}
	free(program);
	e2e_end(&e2e);
}

Test(store_buffers, a_delayed_store_does_not_come_back)
{
	static const char *const cases[] = {"frames", "alone"};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "delayed.c", "-O2 -g");
	for (size_t i = 0; program && i < sizeof(cases) / sizeof(*cases); i++) {
		e2e_run(&e2e, (const char *[]){"--memory-model", "tso", "--policy", "random,pos", "--points", "memory",
					       "--runs", e2e_full() ? "100" : "12", "--", program, cases[i], NULL});
		e2e_expect_silent(&e2e);
	}
	free(program);
	e2e_end(&e2e);
}

/* A child process that shares memory runs beside the target, so it would see a store vanish that is hidden. */
Test(store_buffers, a_program_with_a_child_has_no_delays)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "shared_with_child.c", "-O2 -g");
	if (program)
		e2e_run(&e2e, (const char *[]){"--memory-model", "tso", "--policy", "random", "--points", "memory",
					       "--runs", e2e_full() ? "30" : "3", "--", program, NULL});
	e2e_expect_silent(&e2e);
	free(program);
	e2e_end(&e2e);
}

/* The numbers of its last threads are also those of store buffers. */
Test(store_buffers, a_program_may_have_more_than_1024_threads)
{
	static const char *const models[] = {"sc", "tso"};
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "many_threads.c", "-O2 -g");
	for (size_t i = 0; program && i < sizeof(models) / sizeof(*models); i++) {
		e2e_run(&e2e, (const char *[]){"--memory-model", models[i], "--policy", "random", "--points", "memory",
					       "--runs", "1", "--", program, NULL});
		e2e_expect_silent(&e2e);
		e2e_expect(&e2e, !strstr(e2e.said.out, "not under control"), "%s: %s", models[i], e2e.said.out);
	}
	free(program);
	e2e_end(&e2e);
}

/* The hash of the record of the first run that created the race. Caller frees. */
static char *hash_of_hot(struct e2e *e2e, const char *program, const char *accesses)
{
	char *path, *record, *hash = NULL;
	json_t *json;

	e2e_run(e2e, (const char *[]){"--memory-model", "tso", "--accesses", accesses, "--stops-per-run", "40",
				      "--runs", "2", "--explore", "0", "--predict-runs", "1", "--", program, NULL});
	e2e_expect(e2e, e2e_count(e2e, "pairs") > 0, "no race with %s", accesses);
	path = e2e_record(e2e, e2e_item(e2e, "pairs", 0));
	record = path ? e2e_text(path) : NULL;
	json = record ? json_loads(record, 0, NULL) : NULL;
	if (json)
		hash = strdup(json_string_value(json_object_get(json_object_get(json, "outcome"), "hash")));
	e2e_expect(e2e, hash != NULL, "no hash with %s", accesses);
	json_decref(json);
	free(record);
	free(path);
	return hash;
}

Test(store_buffers, a_hot_statement_does_the_same_with_and_without_stubs)
{
	char *program, *stubs, *traps;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "hot_stores.c", "-O2 -g");
	stubs = hash_of_hot(&e2e, program, "stubs");
	traps = hash_of_hot(&e2e, program, "traps");
	e2e_expect(&e2e, stubs && traps && strcmp(stubs, traps) == 0, "hash %s with stubs, %s without", stubs, traps);
	free(stubs);
	free(traps);
	free(program);
	e2e_end(&e2e);
}

/* A store buffer is no thread for the policies that know threads by their creation. */
Test(store_buffers, every_policy_works_with_delays)
{
	static const char *const policies[] = {"random", "rapos", "pos",  "pct",     "surw",
					       "delay",	 "sweep", "atom", "drfinder"};
	char *target = e2e_target("O2g", "tso_seqlock");

	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		struct e2e e2e;

		e2e_begin(&e2e);
		e2e_run(&e2e, (const char *[]){"--memory-model", "tso", "--policy", policies[i], "--points", "memory",
					       "--runs", e2e_full() ? "150" : "12", "--", target, NULL});
		e2e_expect(&e2e, e2e.said.status == 0 || e2e.said.status == 1, "%s: status %d: %s", policies[i],
			   e2e.said.status, e2e.said.err);
		e2e_end(&e2e);
	}
	free(target);
}

Test(store_buffers, a_proof_refuses_delays)
{
	char *target = e2e_target("O2g", "tso_dekker");
	struct e2e e2e;

	e2e_begin(&e2e);
	e2e_say(&e2e, (const char *[]){"--memory-model", "tso", "--prove", "--", target, NULL});
	e2e_expect_status(&e2e, 2);
	e2e_expect(&e2e, strstr(e2e.said.err, "--prove does not delay stores"), "another message: %s", e2e.said.err);
	e2e_say(&e2e, (const char *[]){"--memory-model", "tso", "--policy", "dpor", "--", target, NULL});
	e2e_expect_status(&e2e, 2);
	free(target);
	e2e_end(&e2e);
}
