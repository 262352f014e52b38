#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/policy/generate.h"
#include "tests/policy/model.h"

TestSuite(racefuzzer, .timeout = 120);

enum { X = 0, Y = 8, Z = 16 };

static void run(const struct model_program *program, rfs_site a, rfs_site b, uint64_t seed, const char *options,
		struct model_result *out)
{
	const struct model_config config = {
		.policy = rfs_policy_find("racefuzzer"), .options = options, .seed = seed, .pair = {a, b}};

	model_run(program, &config, out);
	cr_assert_neq(out->end, MODEL_BAD_CHOICE, "seed %lu: %s", seed, out->complaint);
	cr_assert_neq(out->end, MODEL_STEPS, "seed %lu does not end", seed);
}

/*
 * Two threads execute x++ without lock prefix: the pair (1, 1). Of 100 runs, at least ten must end with the right sum
 * and at least ten with a lost update.
 */
Test(racefuzzer, an_increment_races_with_itself_and_may_lose_an_update)
{
	const struct model_op increment[] = {{M_INC, .object = X, .site = 1}};
	const struct model_body bodies[] = {MODEL_BODY(increment), MODEL_BODY(increment)};
	const struct model_program program = {bodies, 2, 2};
	int sums[3] = {0};

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct model_result result;

		run(&program, 1, 1, seed, NULL, &result);
		cr_expect_gt(result.n_races, 0, "seed %lu", seed);
		cr_assert(model_value(&result, X) == 1 || model_value(&result, X) == 2);
		sums[model_value(&result, X)]++;
		model_release(&result);
	}
	cr_expect_gt(sums[1], 10);
	cr_expect_gt(sums[2], 10);
}

/* A fill in two halves against a read of all of it. The read may see the old value, the new one, or half of each. */
Test(racefuzzer, a_fill_may_be_seen_half_done)
{
	const struct model_op fill[] = {{M_FILL, .object = X, .size = 8, .value = 1, .site = 1}};
	const struct model_op read[] = {{M_READ, .object = X, .site = 2}, {M_STORE, .object = Y}};
	const struct model_body bodies[] = {MODEL_BODY(fill), MODEL_BODY(read)};
	const struct model_program program = {bodies, 2, 2};
	int before = 0, torn = 0, after = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct model_result result;

		run(&program, 1, 2, seed, NULL, &result);
		cr_expect_gt(result.n_races, 0);
		before += model_value(&result, Y) == 0;
		torn += model_value(&result, Y) == 0x01010101;
		after += model_value(&result, Y) == 0x0101010101010101;
		model_release(&result);
	}
	cr_expect_eq(before + torn + after, 200);
	cr_expect(before > 20 && torn > 10 && after > 10, "%d %d %d", before, torn, after);
}

/* `race`: whether the operations of the two threads are resolved as a race. */
Test(racefuzzer, only_accesses_that_conflict_race)
{
	static const struct {
		struct model_op a, b;
		bool race;
	} table[] = {
		{{M_WRITE, .object = X}, {M_READ, .object = X}, true},
		{{M_WRITE, .object = X}, {M_WRITE, .object = X}, true},
		{{M_READ, .object = X}, {M_READ, .object = X}, false},
		{{M_WRITE, .object = X}, {M_READ, .object = Y}, false},
		{{M_WRITE, .object = X, .size = 4}, {M_READ, .object = X + 4, .size = 4}, false},
		{{M_WRITE, .object = X, .size = 4}, {M_READ, .object = X + 3, .size = 1}, true},
		{{M_WRITE, .object = X + 3, .size = 1}, {M_READ, .object = X, .size = 4}, true},
		{{M_WRITE, .object = X + 4, .size = 8}, {M_READ, .object = X, .size = 8}, true},
		{{M_ATOMIC_INC, .object = X}, {M_ATOMIC_INC, .object = X}, false},
		{{M_ATOMIC_INC, .object = X}, {M_READ, .object = X}, true},
		{{M_ATOMIC_INC, .object = X}, {M_WRITE, .object = X}, true},
		{{M_FREE, .object = X, .size = 64}, {M_READ, .object = Y}, true},
		{{M_FREE, .object = X, .size = 8}, {M_READ, .object = Y}, false},
		{{M_FILL, .object = X, .size = 64}, {M_READ, .object = Z + 40}, true},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct model_op a = table[i].a, b = table[i].b;
		const struct model_body bodies[] = {{&a, 1}, {&b, 1}};
		const struct model_program program = {bodies, 2, 2};

		a.site = 1;
		b.site = 2;
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct model_result result;

			run(&program, 1, 2, seed, NULL, &result);
			cr_expect_eq(result.n_races > 0, table[i].race, "row %zu seed %lu", i, seed);
			model_release(&result);
		}
	}
}

/*
 * Three threads read. One writes, but only after 40 other operations, when all three readers are postponed (they are
 * not in about 3 of 2^40 runs). If the race is resolved for the readers, they execute one after the other, and the
 * writer stays parked.
 */
Test(racefuzzer, all_of_r_execute_when_the_coin_says_so)
{
	const struct model_op read[] = {{M_READ, .object = X, .site = 1}, {.code = M_YIELD}};
	struct model_op write[41];
	const struct model_body bodies[] = {MODEL_BODY(read), MODEL_BODY(read), MODEL_BODY(read), MODEL_BODY(write)};
	const struct model_program program = {bodies, 4, 4};
	int for_readers = 0;

	for (int i = 0; i < 40; i++)
		write[i] = (struct model_op){.code = i % 2 ? M_UNLOCK : M_LOCK};
	write[40] = (struct model_op){M_WRITE, .object = X, .site = 2};
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct model_result result;

		run(&program, 1, 2, seed, NULL, &result);
		cr_assert_geq(result.n_steps, 43);
		cr_assert_eq(result.steps[40].race[0], 3);
		if (result.steps[40].thread != 3) {
			for (int t = 0; t < 3; t++)
				cr_expect_eq(result.steps[40 + t].thread, t, "seed %lu", seed);
			for_readers++;
		}
		model_release(&result);
	}
	cr_expect(for_readers >= 35 && for_readers <= 65, "%d", for_readers); /* three sigma of a fair coin */
}

/*
 * A thread that is alone at its statement is postponed. It is let go when no other thread can run, and is not postponed
 * again for that operation.
 */
Test(racefuzzer, a_thread_without_partner_is_let_go)
{
	const struct model_op alone[] = {{M_WRITE, .object = X, .site = 1}, {M_WRITE, .object = X, .site = 1}};
	const struct model_op other[] = {{M_LOCK, .object = 0}, {M_UNLOCK, .object = 0}};
	const struct model_body bodies[] = {MODEL_BODY(alone), MODEL_BODY(other)};
	const struct model_program program = {bodies, 2, 2};
	struct model_result result;

	run(&program, 1, 2, 1, NULL, &result);
	cr_expect_eq(result.end, MODEL_DONE);
	cr_expect_eq(result.n_races, 0);
	cr_expect_eq(result.stat_postponed, 2);
	cr_expect_eq(result.stat_releases, 2);
	cr_expect_eq(result.reached[0], 2);
	model_release(&result);
}

/* Two threads yield as long as the third is postponed. Only the livelock rule ends the run. */
Test(racefuzzer, a_livelock_ends_after_patience_steps)
{
	const struct model_op setter[] = {{M_WRITE, .object = X, .value = 1, .site = 1}};
	const struct model_op waiter[] = {
		{.code = M_YIELD}, {M_READ, .object = X}, {M_UNLESS, .value = 1, .target = 0}};
	const struct model_body bodies[] = {MODEL_BODY(setter), MODEL_BODY(waiter), MODEL_BODY(waiter)};
	const struct model_program program = {bodies, 3, 3};

	for (uint64_t patience = 50; patience <= 5000; patience *= 10) {
		struct model_result result;
		char options[32];

		snprintf(options, sizeof(options), "patience=%lu", patience);
		run(&program, 1, 2, patience, options, &result);
		cr_expect_eq(result.end, MODEL_DONE);
		cr_expect_eq(result.stat_livelocks, 1);
		cr_expect(result.n_steps > patience && result.n_steps < patience + 200, "%lu", result.n_steps);
		model_release(&result);
	}
}

/* A spinning thread is parked before its read whenever another thread runs, so the write always races with it. */
Test(racefuzzer, a_spinning_reader_races_with_the_writer)
{
	const struct model_op writer[] = {{.code = M_YIELD}, {M_WRITE, .object = X, .value = 1, .site = 1}};
	const struct model_op spinner[] = {{M_SPIN, .object = X, .value = 1, .site = 2}};
	const struct model_body bodies[] = {MODEL_BODY(writer), MODEL_BODY(spinner)};
	const struct model_program program = {bodies, 2, 2};

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct model_result result;

		run(&program, 1, 2, seed, NULL, &result);
		cr_expect_eq(result.end, MODEL_DONE);
		cr_expect_eq(result.n_races, 1);
		model_release(&result);
	}
}

/*
 * The two accesses are only kept apart by a sleep. Virtual time does not pass while a thread is postponed, so the race
 * is created only if the policy lets the sleeper go early.
 */
Test(racefuzzer, a_race_that_only_a_sleep_hides_is_created)
{
	const struct model_op early[] = {{M_WRITE, .object = X, .site = 1}, {.code = M_YIELD}};
	const struct model_op late[] = {{.code = M_SLEEP}, {M_READ, .object = X, .site = 2}};
	const struct model_body bodies[] = {MODEL_BODY(early), MODEL_BODY(late)};
	const struct model_program program = {bodies, 2, 2};
	int created = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct model_result result;

		run(&program, 1, 2, seed, NULL, &result);
		created += result.n_races > 0;
		model_release(&result);
	}
	/* The sleeper goes early in one of eight runs: 25 of 200, sigma 4.7. */
	cr_expect(created > 10 && created < 40, "%d", created);
}

static bool same_step(const struct model_step *a, const struct model_step *b)
{
	return a->thread == b->thread && a->outcome == b->outcome && a->waiter == b->waiter &&
	       a->race[0] == b->race[0] && a->race[1] == b->race[1];
}

/* The number of steps that two runs have in common at their beginning. */
static size_t common_prefix(const struct model_result *a, const struct model_result *b)
{
	size_t n = 0;

	while (n < a->n_steps && n < b->n_steps && same_step(&a->steps[n], &b->steps[n]))
		n++;
	return n;
}

/* The index of the step that resolves race k. */
static size_t race_step(const struct model_result *result, uint64_t k)
{
	size_t at = 0;

	for (;; at++) {
		cr_assert_lt(at, result->n_steps);
		if (result->steps[at].race[0] >= 0 && k-- == 0)
			return at;
	}
}

Test(racefuzzer, flipping_the_race_of_figure_2_turns_failure_into_success)
{
	const struct model_op reader[] = {
		{M_LOCK, .object = 0},
		{M_UNLOCK, .object = 0},
		{M_READ, .object = X, .site = 1},
		{M_UNLESS, .value = 0, .target = 5},
		{M_ERROR, .value = 1},
	};
	const struct model_op writer[] = {
		{M_WRITE, .object = X, .value = 1, .site = 2}, {M_LOCK, .object = 0}, {M_UNLOCK, .object = 0}};
	const struct model_body bodies[] = {MODEL_BODY(reader), MODEL_BODY(writer)};
	const struct model_program program = {bodies, 2, 2};

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct model_result plain, flipped;

		run(&program, 1, 2, seed, NULL, &plain);
		run(&program, 1, 2, seed, "flip=0", &flipped);
		cr_expect_eq(plain.n_races, 1);
		cr_expect_neq(plain.end == MODEL_ERROR, flipped.end == MODEL_ERROR, "seed %lu", seed);
		model_release(&plain);
		model_release(&flipped);
	}
}

/* Chooses a pair that the hybrid detector predicts. False if it predicts none. */
static bool predict(const struct generated *program, uint64_t seed, rfs_site pair[2])
{
	const struct model_config config = {
		.policy = rfs_policy_find("random"), .seed = seed, .detectors = {rfs_detector_find("hybrid")}};
	struct model_result result;
	bool any;

	model_run(&program->program, &config, &result);
	any = result.n_pairs[0] > 0;
	if (any) {
		pair[0] = result.pairs[0][seed % result.n_pairs[0]].low;
		pair[1] = result.pairs[0][seed % result.n_pairs[0]].high;
	}
	model_release(&result);
	return any;
}

/* The same seed gives the same run. With flip=K, the run is the same up to race K. */
Test(racefuzzer, random_programs_end_repeat_and_flip)
{
	size_t races = 0, flips = 0, continuations_differ = 0;

	for (uint64_t seed = 1; seed <= 2000; seed++) {
		static struct generated program;
		struct model_result plain, again, flipped, continued;
		rfs_site pair[2];
		char flip[64], go_on[64];
		uint64_t k;
		size_t at;

		generate_program(&program, seed);
		if (!predict(&program, seed, pair))
			continue;
		run(&program.program, pair[0], pair[1], seed, NULL, &plain);
		run(&program.program, pair[0], pair[1], seed, "patience=10000", &again);
		cr_expect(plain.n_steps == again.n_steps && common_prefix(&plain, &again) == plain.n_steps);
		cr_expect_eq(plain.n_races, plain.stat_races);
		model_release(&again);
		races += plain.n_races;
		if (plain.n_races == 0) {
			model_release(&plain);
			continue;
		}
		k = plain.n_races / 2;
		snprintf(flip, sizeof(flip), "flip=%lu", k);
		snprintf(go_on, sizeof(go_on), "continue=%lu,flip=%lu", seed, k);
		run(&program.program, pair[0], pair[1], seed, flip, &flipped);
		run(&program.program, pair[0], pair[1], seed, go_on, &continued);
		at = race_step(&plain, k);
		cr_expect_geq(common_prefix(&plain, &flipped), at);
		cr_expect_eq(race_step(&flipped, k), at);
		cr_expect_geq(common_prefix(&flipped, &continued), at + 1);
		/* The other side executes, unless it is a spin read that is not enabled. */
		flips += plain.steps[at].thread != flipped.steps[at].thread;
		continuations_differ += common_prefix(&flipped, &continued) < flipped.n_steps;
		model_release(&plain);
		model_release(&flipped);
		model_release(&continued);
	}
	cr_expect_gt(races, 300, "%zu", races);
	cr_expect_gt(flips, 100, "%zu", flips);
	cr_expect_gt(continuations_differ, 50, "%zu", continuations_differ);
}

/* Other policies and options also make only valid choices, and every run ends. */
Test(racefuzzer, every_policy_ends_every_program)
{
	static const struct {
		const char *policy, *options;
		bool all_accesses;
	} table[] = {
		{"random", "", false},
		{"random", "", true},
		{"racefuzzer", "patience=0", false},
		{"racefuzzer", "patience=3,skip=30", true},
		{"racefuzzer", "flip=0,continue=9", true},
	};

	for (uint64_t seed = 1; seed <= 1000; seed++) {
		static struct generated program;

		generate_program(&program, seed);
		for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
			struct model_config config = {.policy = rfs_policy_find(table[i].policy),
						      .options = table[i].options,
						      .seed = seed,
						      .all_accesses = table[i].all_accesses};
			struct model_result result;

			generate_pair(&program, seed, config.pair);
			model_run(&program.program, &config, &result);
			cr_expect(result.end == MODEL_DONE || result.end == MODEL_DEADLOCK, "row %zu seed %lu: %d %s",
				  i, seed, result.end, result.complaint);
			model_release(&result);
		}
	}
}
