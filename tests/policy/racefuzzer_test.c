#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/policy/generate.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

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

/* x++ against an ordinary read of x: the two read halves do not race, and the reader must not be over when it writes.
 */
Test(racefuzzer, an_increment_races_with_a_read)
{
	const struct model_op increment[] = {{M_INC, .object = X, .site = 1}},
			      read[] = {{M_READ, .object = X, .site = 2}};
	const struct model_body bodies[] = {MODEL_BODY(increment), MODEL_BODY(read)};
	const struct model_program program = {bodies, 2, 2};

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct model_result result;

		run(&program, 1, 2, seed, NULL, &result);
		cr_expect_gt(result.n_races, 0, "seed %lu", seed);
		model_release(&result);
	}
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

/* Two threads look under a lock forever, as long as a third stays postponed: only the livelock rule ends this. */
Test(racefuzzer, a_livelock_ends_after_patience_steps)
{
	const struct model_op setter[] = {{M_WRITE, .object = X, .value = 1, .site = 1}};
	const struct model_op waiter[] = {{M_LOCK, .object = 0},
					  {M_READ, .object = X},
					  {M_UNLOCK, .object = 0},
					  {M_UNLESS, .value = 1, .target = 0}};
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

/*
 * A thread that is postponed in each turn of a loop, while others wait for the loop's end: by yields, by looks at an
 * atomic flag, or by tries of a lock that the postponed thread holds. None of these runs looks like a hang.
 */
Test(racefuzzer, threads_that_spin_let_the_postponed_one_go)
{
	const struct model_op loops[] = {{M_LOCK, .object = 0},
					 {M_WRITE, .object = X, .value = 1, .site = 1},
					 {M_ADD, .reg = 1, .value = 1},
					 {M_UNLESS, .reg = 1, .value = 200, .target = 1},
					 {M_WRITE, .object = Y, .value = 1},
					 {M_UNLOCK, .object = 0}};
	const struct model_op yields[] = {
		{.code = M_YIELD}, {M_READ, .object = Y}, {M_UNLESS, .value = 1, .target = 0}};
	const struct model_op tries[] = {
		{M_TRYLOCK, .object = 0, .reg = 0}, {M_UNLESS, .value = 1, .target = 0}, {M_UNLOCK, .object = 0}};
	const struct model_op exchanges[] = {
		{M_ATOMIC_INC, .object = Z}, {M_READ, .object = Y}, {M_UNLESS, .value = 1, .target = 0}};
	const struct model_op naps[] = {{.code = M_SLEEP}, {M_READ, .object = Y}, {M_UNLESS, .value = 1, .target = 0}};
	const struct {
		const char *name;
		struct model_body body;
		uint64_t most_steps; /* two a turn, and what the first livelocks cost */
	} table[] = {{"yields", MODEL_BODY(yields), 2000},
		     {"tries", MODEL_BODY(tries), 6000},
		     {"exchanges", MODEL_BODY(exchanges), 6000},
		     {"naps", MODEL_BODY(naps), 6000}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct model_body bodies[] = {MODEL_BODY(loops), table[i].body, table[i].body};
		const struct model_program program = {bodies, 3, 3};

		for (uint64_t seed = 1; seed <= 40; seed++) {
			struct model_result result;

			run(&program, 1, 2, seed, NULL, &result);
			cr_expect_eq(result.end, MODEL_DONE);
			cr_expect_leq(result.n_steps, table[i].most_steps, "%s, seed %lu: %lu", table[i].name, seed,
				      result.n_steps);
			model_release(&result);
		}
	}
}

/* Work that only looks like spinning, in front of the other statement: it ends, and the race is created. */
Test(racefuzzer, work_with_atomics_in_front_of_the_statement_does_not_hide_the_race)
{
	const struct model_op early[] = {{M_WRITE, .object = X, .site = 1}};
	const struct model_op late[] = {{M_ATOMIC_INC, .object = Y},
					{M_ADD, .reg = 1, .value = 1},
					{M_UNLESS, .reg = 1, .value = 500, .target = 0},
					{M_READ, .object = X, .site = 2}};
	const struct model_body bodies[] = {MODEL_BODY(early), MODEL_BODY(late)};
	const struct model_program program = {bodies, 2, 2};

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct model_result result;

		run(&program, 1, 2, seed, NULL, &result);
		cr_expect_gt(result.n_races, 0, "seed %lu", seed);
		model_release(&result);
	}
}

/* A thread that spins on a value is always parked before its read: writing the value is a race with it. */
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

static int created(const struct model_program *program, const char *options)
{
	int n = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct model_result result;

		run(program, 1, 2, seed, options, &result);
		n += result.n_races > 0;
		model_release(&result);
	}
	return n;
}

/*
 * Only a sleep keeps the two apart. In half of the runs, time passes while the early thread is postponed; in the others
 * a short sleeper comes early with probability 1/8, and a long one never.
 */
Test(racefuzzer, a_race_that_only_a_sleep_hides_is_created)
{
	for (int64_t until = 0; until <= 5; until += 5) {
		const struct model_op early[] = {{M_WRITE, .object = X, .site = 1}, {.code = M_YIELD}};
		const struct model_op late[] = {{M_SLEEP, .value = until}, {M_READ, .object = X, .site = 2}};
		const struct model_op sleepy[] = {
			{M_SLEEP, .value = until}, {.code = M_YIELD}, {M_SLEEP, .value = 2 * until}};
		const struct model_op polls[] = {
			{.code = M_YIELD}, {M_READ, .object = Y}, {M_UNLESS, .value = 1, .target = 0}};
		const struct model_op sets[] = {{M_SLEEP, .value = until},
						{M_READ, .object = X, .site = 2},
						{M_WRITE, .object = Y, .value = 1}};
		const struct model_body bodies[] = {MODEL_BODY(early), MODEL_BODY(late), MODEL_BODY(sleepy)};
		const struct model_body polled[] = {MODEL_BODY(early), MODEL_BODY(sets), MODEL_BODY(polls)};
		const struct model_program program = {bodies, 3, 3}, polling = {polled, 3, 3};
		int never = until ? 0 : 25, drawn = created(&program, NULL), asked = created(&program, "wait=2");

		/* 25: one of eight, sigma 4.7; 100 or 112: sigma 7 */
		cr_expect(asked <= never + 15 && asked >= never - 15, "%ld: %d", until, asked);
		cr_expect(drawn >= 75 && drawn <= 140, "%ld: %d", until, drawn);
		cr_expect_eq(created(&program, "wait=1"), 200);
		cr_expect_eq(created(&polling, "wait=1"), 200);
	}
}

/* No more time passes than sleep_race says: a longer timeout would only expire because a thread is postponed. */
Test(racefuzzer, a_postponed_thread_is_let_go_before_much_time_passes)
{
	const struct model_op early[] = {{M_WRITE, .object = X, .site = 1}, {M_WRITE, .object = Y, .value = 1}};
	const struct model_op dog[] = {{M_SLEEP, .value = 50}, {M_READ, .object = Y}, {M_STORE, .object = Z}};
	const struct model_op late[] = {{M_SLEEP, .value = 5}, {M_READ, .object = X, .site = 2}};
	const struct model_body bodies[] = {MODEL_BODY(early), MODEL_BODY(dog), MODEL_BODY(late)};
	const struct model_program program = {bodies, 3, 3};

	for (uint64_t sleep_race = 4; sleep_race <= 6; sleep_race += 2)
		for (uint64_t seed = 1; seed <= 200; seed++) {
			const struct model_config config = {.policy = rfs_policy_find("racefuzzer"),
							    .options = "wait=1",
							    .seed = seed,
							    .pair = {1, 2},
							    .sleep_race = sleep_race};
			struct model_result result;

			model_run(&program, &config, &result);
			cr_assert_eq(result.end, MODEL_DONE);
			cr_expect_eq(result.n_races, sleep_race > 5, "seed %lu", seed);
			cr_expect_eq(model_value(&result, Z), 1, "seed %lu: the watchdog has expired", seed);
			model_release(&result);
		}
}

/* Somebody who sleeps again and again is no reason to keep a thread postponed for ever. */
Test(racefuzzer, endless_naps_let_the_postponed_thread_go)
{
	const struct model_op sets[] = {{M_WRITE, .object = X, .value = 1, .site = 1}};
	const struct model_op naps[] = {
		{M_SLEEP, .value = 3}, {.code = M_SLEEP}, {M_READ, .object = X}, {M_UNLESS, .value = 1, .target = 1}};
	const struct model_body bodies[] = {MODEL_BODY(sets), MODEL_BODY(naps)};
	const struct model_program program = {bodies, 2, 2};

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct model_result result;

		run(&program, 1, 2, seed, "wait=1", &result);
		cr_expect_eq(result.end, MODEL_DONE);
		cr_expect_leq(result.n_steps, 1100);
		model_release(&result);
	}
}

/*
 * One thread writes, the other one writes, and then the first one reads back. The second one writes only after it has
 * read what the first one wrote, so two threads that are parked at the writes do not show it.
 */
Test(racefuzzer, a_thread_reads_back_what_the_other_one_wrote)
{
	const struct model_op first[] = {{M_WRITE, .object = X, .value = 1, .site = 1},
					 {M_READ, .object = X, .site = 2},
					 {M_STORE, .object = Y}};
	const struct model_op second[] = {{M_LOCK, .object = 0},
					  {M_READ, .object = X},
					  {M_UNLESS, .value = 1, .target = 4},
					  {M_WRITE, .object = X, .value = 2, .site = 1},
					  {.code = M_YIELD}};
	const struct model_body bodies[] = {MODEL_BODY(first), MODEL_BODY(second)};
	const struct model_program program = {bodies, 2, 2};

	static const struct {
		const char *options;
		int64_t read;
	} orders[] = {{"again=1", 2}, {"again=1,keep=0,last=1", 2}, {"again=1,flip=0,last=1", 1}};
	int created = 0;

	for (uint64_t seed = 1; seed <= 50; seed++)
		for (int i = 0; i < 3; i++) {
			struct model_result result;

			run(&program, 1, 2, seed, orders[i].options, &result);
			/* without a race, the second thread came first, and has read nothing */
			cr_expect_eq(model_value(&result, Y), result.n_races ? orders[i].read : 1, "seed %lu", seed);
			created += result.n_races > 0;
			model_release(&result);
		}
	cr_expect(created >= 30 && created % 3 == 0, "%d", created);
}

/* ---- how runs go on after a race ---- */

/*
 * A lost wake-up: the waiter has looked, the setter sets and signals, and only then the waiter waits. The setter loses
 * the race, and must come right behind the winner.
 */
Test(racefuzzer, a_lost_wakeup_is_created_and_fails)
{
	const struct model_op waits[] = {{M_LOCK, .object = 0},
					 {M_READ, .object = X, .site = 1},
					 {M_IF, .value = 1, .target = 4},
					 {M_COND_WAIT, .object = 1, .object2 = 0},
					 {M_UNLOCK, .object = 0}};
	const struct model_op sets[] = {{M_WRITE, .object = X, .value = 1, .site = 2}, {M_SIGNAL, .object = 1}};
	const struct model_op sets_fixed[] = {{M_LOCK, .object = 0},
					      {M_WRITE, .object = X, .value = 1, .site = 2},
					      {M_SIGNAL, .object = 1},
					      {M_UNLOCK, .object = 0}};
	const struct model_body bodies[] = {MODEL_BODY(waits), MODEL_BODY(sets)};
	const struct model_body fixed[] = {MODEL_BODY(waits), MODEL_BODY(sets_fixed)};
	const struct model_program program = {bodies, 2, 2}, twin = {fixed, 2, 2};
	static const struct {
		const char *options;
		int least, most; /* of 200 */
	} table[] = {{"after=1", 0, 0}, {"after=2", 25, 75}, {"after=3", 10, 60}, {"after=4", 10, 90}, {"", 15, 60}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		int deadlocks = 0;

		for (uint64_t seed = 1; seed <= 200; seed++) {
			struct model_result result;

			run(&program, 1, 2, seed, table[i].options, &result);
			cr_expect_eq(result.n_races, 1);
			deadlocks += result.end == MODEL_DEADLOCK;
			model_release(&result);
			run(&twin, 1, 2, seed, table[i].options, &result);
			cr_expect_eq(result.end, MODEL_DONE);
			cr_expect_eq(result.n_races, 0);
			model_release(&result);
		}
		cr_expect(deadlocks >= table[i].least && deadlocks <= table[i].most, "%s: %d", table[i].options,
			  deadlocks);
	}
}

/* With after=2, what lost comes right behind what won: first the winners, then the losers, and nothing between. */
Test(racefuzzer, a_loser_comes_right_behind_if_the_run_says_so)
{
	const struct model_op read[] = {{M_READ, .object = X, .site = 1}, {.code = M_YIELD}};
	const struct model_op write[] = {{M_WRITE, .object = X, .site = 2}, {.code = M_YIELD}};
	const struct model_op noise[] = {{M_LOCK, .object = 0},	  {M_UNLOCK, .object = 0}, {M_LOCK, .object = 0},
					 {M_UNLOCK, .object = 0}, {M_LOCK, .object = 0},   {M_UNLOCK, .object = 0}};
	const struct model_body bodies[] = {MODEL_BODY(read), MODEL_BODY(write), MODEL_BODY(noise)};
	const struct model_program program = {bodies, 3, 3};

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct model_result result;
		size_t at = 0;

		run(&program, 1, 2, seed, "after=2", &result);
		cr_assert_eq(result.n_races, 1);
		while (result.steps[at].race[0] < 0)
			at++;
		cr_expect_eq(result.steps[at].thread + result.steps[at + 1].thread, 1, "seed %lu", seed);
		model_release(&result);
	}
}

Test(racefuzzer, refuses_options_out_of_range)
{
	static const char *const wrong[] = {"after=5", "wait=3", "skip=101", "continue=1", "after=-1", "coin=3"};
	void *state = NULL;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		cr_expect_neq(rfs_policy_find("racefuzzer")
				      ->init(&state, &(struct rfs_policy_args){.seed = 1, .options = wrong[i]}),
			      0, "%s", wrong[i]);
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

/*
 * Two threads increment x twenty times. Nearly each run creates many races and loses many updates, so the order of one
 * of them does not matter. If the first race is the last one, only its order decides whether an update is lost.
 */
Test(racefuzzer, if_the_first_race_is_the_last_one_its_order_alone_decides)
{
	struct model_op increments[20];
	const struct model_body bodies[] = {MODEL_BODY(increments), MODEL_BODY(increments)};
	const struct model_program program = {bodies, 2, 2};
	int lost_anyway = 0;

	for (size_t i = 0; i < 20; i++)
		increments[i] = (struct model_op){M_INC, .object = X, .site = 1};
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct model_result flipped;
		int lost[2];

		run(&program, 1, 1, seed, "flip=0", &flipped);
		lost_anyway += model_value(&flipped, X) < 40;
		model_release(&flipped);
		for (int k = 0; k < 2; k++) {
			struct model_result result;

			run(&program, 1, 1, seed, k ? "flip=0,continue=1,last=1" : "keep=0,continue=1,last=1", &result);
			lost[k] = model_value(&result, X) < 40;
			cr_expect_eq(result.n_races, 1, "seed %lu: %zu races", seed, result.n_races);
			model_release(&result);
		}
		cr_expect_neq(lost[0], lost[1], "seed %lu", seed);
	}
	cr_expect_gt(lost_anyway, 90, "%d", lost_anyway);
}

/* A thread whose last operation before its statement was a yield takes its turn there as any other thread does. */
Test(racefuzzer, after_a_yield_the_order_of_the_last_race_is_kept_too)
{
	const struct model_op writer[] = {{M_WRITE, .object = X, .value = 1, .site = 1}};
	const struct model_op reader[] = {
		{M_YIELD, .object = X}, {M_READ, .object = X, .site = 2}, {M_STORE, .object = Y}};
	const struct model_body bodies[] = {MODEL_BODY(writer), MODEL_BODY(reader)};
	const struct model_program program = {bodies, 2, 2};

	static const char *const options[] = {NULL, "keep=0,continue=1,last=1", "flip=0,continue=1,last=1"};
	int created = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		uint64_t seen[3];
		size_t races = 1;

		for (size_t k = 0; k < 3; k++) {
			struct model_result result;

			run(&program, 1, 2, seed, options[k], &result);
			races = result.n_races < races ? result.n_races : races;
			seen[k] = model_value(&result, Y);
			model_release(&result);
		}
		created += races > 0;
		cr_expect(!races || (seen[1] == seen[0] && seen[2] != seen[0]), "seed %lu", seed);
	}
	cr_expect_gt(created, 40, "%d", created);
}

/* Seeds 2n and 2n + 1 resolve the race in different orders, whichever thread arrives first. */
Test(racefuzzer, two_seeds_have_both_orders)
{
	const struct model_op writer[] = {{M_WRITE, .object = X, .value = 1, .site = 1}};
	const struct model_op reader[] = {{M_READ, .object = X, .site = 2}, {M_STORE, .object = Y}};
	const struct model_body bodies[] = {MODEL_BODY(writer), MODEL_BODY(reader)};
	const struct model_program program = {bodies, 2, 2};
	int writes_first = 0;

	for (uint64_t seed = 2; seed < 202; seed += 2) {
		uint64_t seen[2];

		for (uint64_t k = 0; k < 2; k++) {
			struct model_result result;

			run(&program, 1, 2, seed + k, NULL, &result);
			cr_expect_eq(result.n_races, 1);
			seen[k] = model_value(&result, Y);
			model_release(&result);
		}
		cr_expect_neq(seen[0], seen[1], "seed %lu", seed);
		writes_first += seen[0] == 1;
	}
	cr_expect(writes_first > 30 && writes_first < 70, "%d of 100", writes_first);
}

/* Option coin says who goes first in the first race, and in no other one. Of one statement, it is the write or the
 * read. */
Test(racefuzzer, the_first_race_is_resolved_as_the_coin_says)
{
	const struct model_op writer[] = {{M_WRITE, .object = X, .value = 1, .site = 1},
					  {M_WRITE, .object = X, .value = 2, .site = 1}};
	const struct model_op reader[] = {{M_READ, .object = X, .site = 2},
					  {M_STORE, .object = Y},
					  {M_READ, .object = X, .site = 2},
					  {M_STORE, .object = Z}};
	const struct model_op increment[] = {{M_INC, .object = X, .site = 1}};
	const struct model_body bodies[] = {MODEL_BODY(writer), MODEL_BODY(reader)},
				increments[] = {MODEL_BODY(increment), MODEL_BODY(increment)};
	const struct model_program program = {bodies, 2, 2}, lost = {increments, 2, 2};
	int later[3] = {0};

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct model_result result;

		run(&program, 1, 2, seed, "coin=1,after=2", &result);
		cr_expect_eq(model_value(&result, Y), 1, "seed %lu", seed);
		later[model_value(&result, Z)]++;
		model_release(&result);
		run(&program, 1, 2, seed, "coin=2,after=2", &result);
		cr_expect_eq(model_value(&result, Y), 0, "seed %lu", seed);
		model_release(&result);
		run(&lost, 1, 1, seed, "coin=2", &result);
		cr_expect_eq(model_value(&result, X), 1, "seed %lu", seed);
		model_release(&result);
	}
	cr_expect(later[1] > 10 && later[2] > 10, "%d and %d", later[1], later[2]);
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

/*
 * Two chunks of a loop that meet at one element only: the last one that thread 0 writes is the first one that thread 1
 * reads. With the address, every run creates the race. Without, thread 1 is let go from there while thread 0 is
 * postponed at elements of its own.
 */
Test(racefuzzer, a_pair_is_held_at_its_address)
{
	enum { ELEMENTS = 12, MEETS = (ELEMENTS - 1) * 8 };
	struct model_op writes[ELEMENTS], reads[ELEMENTS];
	const struct model_body bodies[] = {{writes, ELEMENTS}, {reads, ELEMENTS}};
	const struct model_program program = {bodies, 2, 2};
	int created[2] = {0};

	for (uint64_t i = 0; i < ELEMENTS; i++) {
		writes[i] = (struct model_op){M_WRITE, .object = 8 * i, .site = 1};
		reads[i] = (struct model_op){M_READ, .object = MEETS + 8 * i, .site = 2};
	}
	for (uint64_t seed = 1; seed <= 100; seed++)
		for (int by_address = 0; by_address < 2; by_address++) {
			const struct model_config config = {.policy = rfs_policy_find("racefuzzer"),
							    .options = by_address ? "address=1" : NULL,
							    .seed = seed,
							    .pair = {1, 2},
							    .address = MEETS + 1};
			struct model_result result;

			model_run(&program, &config, &result);
			cr_assert_eq(result.end, MODEL_DONE, "seed %lu: %s", seed, result.complaint);
			created[by_address] += result.n_races > 0;
			model_release(&result);
		}
	cr_expect_eq(created[1], 100, "%d", created[1]);
	cr_expect_lt(created[0], 20, "%d", created[0]);
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
		{"racefuzzer", "after=2,wait=1", false},
		{"racefuzzer", "after=4,wait=1", true},
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
