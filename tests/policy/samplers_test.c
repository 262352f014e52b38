/*
 * samplers_test.c - RAPOS, PCT, POS and SURW on the model machine. They have the probabilities that their papers
 * promise, and sample every possible partial order. Seeds are fixed. The bounds are three standard deviations of a
 * correct policy.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/policy/enumerate.h"
#include "tests/policy/generate.h"

#include "policy/registry.h"

TestSuite(samplers, .timeout = 120);

enum { X = 0, Y = 8, Z = 16 };
enum { L = 0, M = 1 };

static const struct rfs_policy_ops *policy(const char *name)
{
	const struct rfs_policy_ops *found = rfs_policy_find(name);

	cr_assert_not_null(found, "%s", name);
	return found;
}

/*
 * RAPOS paper, figure 1. It has five interleavings, with probabilities 1/2, 1/4, 1/8, 1/16 and 1/16 under simple random
 * (the paper prints 1/32 for the last). It has two partial orders, one of which fails. So thread 1 has four operations,
 * and only the last one depends on the single operation of thread 2.
 */
static const struct model_op rapos_1[] = {
	{M_WRITE, .object = 24, .value = 1},
	{M_WRITE, .object = 32, .value = 1},
	{M_WRITE, .object = 40, .value = 1},
	{M_WRITE, .object = X, .value = 1},
};
static const struct model_op rapos_2[] = {
	{M_READ, .object = X},
	{M_UNLESS, .value = 1, .target = 3},
	{M_ERROR, .value = 1},
};
static const struct model_body rapos_bodies[] = {MODEL_BODY(rapos_1), MODEL_BODY(rapos_2)};
static const struct model_program rapos_figure_1 = {rapos_bodies, 2, 2};

static int failures(const struct model_program *program, const char *name, const char *options, int runs)
{
	int failed = 0;

	for (int seed = 1; seed <= runs; seed++) {
		const struct model_config config = {
			.policy = policy(name), .options = options, .seed = (uint64_t)seed, .all_accesses = true};
		struct model_result result;

		model_run(program, &config, &result);
		cr_assert(result.end == MODEL_DONE || result.end == MODEL_ERROR, "%s: %d %s", name, result.end,
			  result.complaint);
		failed += result.end == MODEL_ERROR;
		model_release(&result);
	}
	return failed;
}

static void expect_share(int hits, int runs, double p, const char *what)
{
	double sigma = sqrt(p * (1 - p) / runs), share = (double)hits / runs;

	cr_expect(fabs(share - p) <= 3 * sigma, "%s: %d of %d, expected %.4f +- %.4f", what, hits, runs, p, 3 * sigma);
}

Test(samplers, figure_1_fails_with_a_quarter_under_rapos_and_a_sixteenth_under_simple_random)
{
	expect_share(failures(&rapos_figure_1, "rapos", NULL, 20000), 20000, 0.25, "rapos");
	expect_share(failures(&rapos_figure_1, "random", NULL, 20000), 20000, 0.0625, "random");
}

/*
 * POS: the read's priority is drawn at the start. The write of x gets a new priority when three other operations have
 * executed. The read comes last if its priority is the lowest of five: 1/5. PCT with depth 1 fails if thread 1 has the
 * higher priority: 1/2.
 */
Test(samplers, figure_1_under_pos_and_pct)
{
	expect_share(failures(&rapos_figure_1, "pos", NULL, 20000), 20000, 0.2, "pos");
	expect_share(failures(&rapos_figure_1, "pct", "depth=1", 20000), 20000, 0.5, "pct");
}

/* ---- all partial orders ---- */

static const struct model_op two_locks_1[] = {
	{M_LOCK, .object = L}, {M_INC, .object = X}, {M_UNLOCK, .object = L}, {M_READ, .object = Y}};
static const struct model_op two_locks_2[] = {
	{M_WRITE, .object = Y, .value = 1}, {M_LOCK, .object = L}, {M_INC, .object = X}, {M_UNLOCK, .object = L}};
static const struct model_body two_locks_bodies[] = {MODEL_BODY(two_locks_1), MODEL_BODY(two_locks_2)};

static const struct model_op abba_1[] = {
	{M_LOCK, .object = L}, {M_LOCK, .object = M}, {M_UNLOCK, .object = M}, {M_UNLOCK, .object = L}};
static const struct model_op abba_2[] = {
	{M_LOCK, .object = M}, {M_LOCK, .object = L}, {M_UNLOCK, .object = L}, {M_UNLOCK, .object = M}};
static const struct model_body abba_bodies[] = {MODEL_BODY(abba_1), MODEL_BODY(abba_2)};

static const struct model_op created_main[] = {
	{M_CREATE, .reg = 0, .value = 1}, {M_WRITE, .object = X, .value = 1}, {M_JOIN, .reg = 0}};
static const struct model_op created_child[] = {{M_INC, .object = X}};
static const struct model_body created_bodies[] = {MODEL_BODY(created_main), MODEL_BODY(created_child)};

static const struct model_op waits[] = {{M_SEM_WAIT, .object = L}, {M_READ, .object = X}};
static const struct model_op posts[] = {
	{M_WRITE, .object = X, .value = 1}, {M_SEM_POST, .object = L}, {M_WRITE, .object = X, .value = 2}};
static const struct model_body semaphore_bodies[] = {MODEL_BODY(waits), MODEL_BODY(posts), MODEL_BODY(posts)};

static const struct model_op reads[] = {{M_RDLOCK, .object = L}, {M_READ, .object = X}, {M_RWUNLOCK, .object = L}};
static const struct model_op writes[] = {
	{M_WRLOCK, .object = L}, {M_WRITE, .object = X, .value = 1}, {M_RWUNLOCK, .object = L}};
static const struct model_body shared_bodies[] = {MODEL_BODY(reads), MODEL_BODY(writes)};

static const struct model_op signals[] = {
	{M_LOCK, .object = L}, {M_WRITE, .object = X, .value = 1}, {M_SIGNAL, .object = M}, {M_UNLOCK, .object = L}};
static const struct model_op sleeps[] = {{M_LOCK, .object = L},
					 {M_READ, .object = X},
					 {M_IF, .value = 1, .target = 4},
					 {M_COND_WAIT, .object = M, .object2 = L},
					 {M_UNLOCK, .object = L}};
static const struct model_body condition_bodies[] = {MODEL_BODY(sleeps), MODEL_BODY(signals)};

static const struct model_op three_writes[] = {{M_WRITE, .object = X, .value = 1}, {M_WRITE, .object = Y, .value = 1}};
static const struct model_body three_bodies[] = {MODEL_BODY(three_writes), MODEL_BODY(three_writes),
						 MODEL_BODY(three_writes)};

static const struct {
	const char *name;
	struct model_program program;
} small[] = {
	{"figure 1", {rapos_bodies, 2, 2}},	 {"two locks", {two_locks_bodies, 2, 2}},
	{"abba", {abba_bodies, 2, 2}},		 {"created", {created_bodies, 2, 1}},
	{"semaphore", {semaphore_bodies, 3, 3}}, {"shared lock", {shared_bodies, 2, 2}},
	{"condition", {condition_bodies, 2, 2}}, {"three writers", {three_bodies, 3, 3}},
};

#define ENOUGH_RUNS 20000

/* The policy samples every partial order (for RAPOS: theorem 1 of its paper) and no order that does not exist. */
static void reach_all(const char *name, const char *options)
{
	for (size_t p = 0; p < sizeof(small) / sizeof(*small); p++) {
		struct partial_orders all, sampled;
		size_t n;

		enumerate_program(&small[p].program, 1000000, &all);
		n = all.n;
		cr_expect_gt(n, 1, "%s", small[p].name);
		sampled = all; /* an order that enumerate_program() did not find would be appended */
		memset(sampled.counts, 0, n * sizeof(*sampled.counts));
		for (uint64_t seed = 1; seed <= ENOUGH_RUNS; seed++)
			sample_program(&small[p].program, policy(name), options, NULL, seed, &sampled);
		cr_expect_eq(sampled.n, n, "%s, %s: %zu orders that do not exist", name, small[p].name, sampled.n - n);
		for (size_t i = 0; i < n; i++)
			cr_expect_gt(sampled.counts[i], 0, "%s never samples order %zu of %zu of %s", name, i, n,
				     small[p].name);
		partial_orders_release(&sampled);
	}
}

Test(samplers, rapos_samples_every_partial_order)
{
	reach_all("rapos", NULL);
}

Test(samplers, pos_samples_every_partial_order)
{
	reach_all("pos", NULL);
}

Test(samplers, atom_samples_every_partial_order)
{
	reach_all("atom", NULL);
}

Test(samplers, random_samples_every_partial_order)
{
	reach_all("random", NULL);
}

/* These programs have so few dependent operations that four change points are enough for every order. */
Test(samplers, deep_pct_samples_every_partial_order)
{
	reach_all("pct", "depth=9,steps=14");
}

/* ---- PCT's bound ---- */

/* A bug of depth 2: it shows if the read of x by thread 2 falls between the two writes of x by thread 1. */
static const struct model_op between_1[] = {
	{M_WRITE, .object = Y, .value = 1}, {M_WRITE, .object = Y, .value = 2}, {M_WRITE, .object = X, .value = 1},
	{M_WRITE, .object = X, .value = 2}, {M_WRITE, .object = Y, .value = 3}, {M_WRITE, .object = Y, .value = 4},
};
static const struct model_op between_2[] = {
	{M_READ, .object = Z}, {M_READ, .object = X}, {M_UNLESS, .value = 1, .target = 4}, {M_ERROR, .value = 1}};
static const struct model_body between_bodies[] = {MODEL_BODY(between_1), MODEL_BODY(between_2)};
static const struct model_program between = {between_bodies, 2, 2};

Test(samplers, pct_meets_its_bound)
{
	static const struct {
		const struct model_program *program;
		const char *options;
		double n, k, d;
	} table[] = {
		{&rapos_figure_1, "depth=1,steps=7", 2, 7, 1},
		{&between, "depth=2,steps=10", 2, 10, 2},
		{&between, "depth=3,steps=10", 2, 10, 3},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		int runs = 20000, failed = failures(table[i].program, "pct", table[i].options, runs);
		double bound = 1 / (table[i].n * pow(table[i].k, table[i].d - 1));
		double sigma = sqrt(bound * (1 - bound) / runs);

		cr_expect_geq((double)failed / runs, bound - 3 * sigma, "row %zu: %d of %d, bound %.5f", i, failed,
			      runs, bound);
	}
	/* without a change point (depth 1), PCT cannot find a bug of depth 2 */
	cr_expect_eq(failures(&between, "pct", "depth=1", 2000), 0);
}

Test(samplers, pct_learns_the_number_of_steps_from_the_run_before)
{
	struct rfs_blob blob = {0};
	const struct model_config first = {
		.policy = policy("pct"), .options = "depth=2", .seed = 1, .all_accesses = true, .saved = &blob};
	struct model_result result;
	int failed = 0;

	model_run(&between, &first, &result);
	model_release(&result);
	cr_assert_not_null(blob.data);
	for (uint64_t seed = 2; seed <= 2001; seed++) {
		struct model_config config = first;

		config.seed = seed;
		config.blob = &blob;
		config.saved = NULL;
		model_run(&between, &config, &result);
		failed += result.end == MODEL_ERROR;
		model_release(&result);
	}
	cr_expect_geq(failed, 2000 / 20 - 3 * 10, "%d", failed); /* PCT's bound with n = 2 and k = 10 is 1/20 */
	free(blob.data);
}

/* ---- SURW ---- */

static const struct model_op short_walk[] = {{M_ATOMIC_INC, .object = X}, {M_ATOMIC_INC, .object = X}};
static const struct model_op long_walk[] = {
	{M_WRITE, .object = Y, .value = 1}, {M_ATOMIC_INC, .object = X}, {M_WRITE, .object = Y, .value = 1},
	{M_WRITE, .object = Y, .value = 1}, {M_ATOMIC_INC, .object = X}, {M_WRITE, .object = Y, .value = 1},
	{M_ATOMIC_INC, .object = X},	    {M_ATOMIC_INC, .object = X},
};
static const struct model_op starts_walk[] = {{M_CREATE, .value = 1}, {M_CREATE, .value = 2}};
static const struct model_body walk_bodies[] = {MODEL_BODY(starts_walk), MODEL_BODY(short_walk), MODEL_BODY(long_walk)};
static const struct model_program walk = {walk_bodies, 3, 1};

/* Two increments of one thread and four of another make 15 orders. A plain random walk samples them very unequally. */
Test(samplers, surw_samples_the_orders_of_one_object_uniformly)
{
	struct rfs_blob blob = {0};
	const struct model_config first = {.policy = policy("surw"), .seed = 1, .all_accesses = true, .saved = &blob};
	struct partial_orders orders = {0};
	struct model_result result;

	model_run(&walk, &first, &result);
	model_release(&result);
	cr_assert_not_null(blob.data);
	for (uint64_t seed = 2; seed <= 20001; seed++)
		sample_program(&walk, policy("surw"), NULL, &blob, seed, &orders);
	cr_expect_eq(orders.n, 15, "%zu", orders.n);
	for (size_t i = 0; i < orders.n; i++) {
		double expected = 20000 / 15.0, sigma = sqrt(expected * 14 / 15);

		/* 4 sigma, because fifteen shares are checked */
		cr_expect(fabs((double)orders.counts[i] - expected) <= 4 * sigma, "order %zu: %lu times, expected %.0f",
			  i, orders.counts[i], expected);
	}
	partial_orders_release(&orders);
	free(blob.data);
}

Test(samplers, surw_refuses_a_blob_that_is_not_its_own)
{
	char other[40] = "something else";
	const struct rfs_blob blobs[] = {{other, 3}, {other, sizeof(other)}};

	for (size_t i = 0; i < 2; i++) {
		const struct rfs_policy_args args = {.seed = 1, .blob = &blobs[i]};
		void *state = NULL;

		cr_expect_eq(policy("surw")->init(&state, &args), -EINVAL);
		cr_expect_eq(policy("pct")->init(&state, &args), -EINVAL);
		cr_expect_null(state);
	}
}

/*
 * A writer publishes under one lock and completes under another. A reader that takes both in the same order fails if it
 * comes between. Under random it must win five draws in a row for that.
 */
Test(samplers, atom_comes_between_two_sections_more_often_than_random)
{
	static const struct model_op writer[] = {
		{M_LOCK, .object = L}, {M_WRITE, .object = X, .value = 1}, {M_UNLOCK, .object = L},
		{M_LOCK, .object = M}, {M_WRITE, .object = Y, .value = 1}, {M_UNLOCK, .object = M}};
	static const struct model_op reader[] = {{M_LOCK, .object = L},	  {M_READ, .object = X},
						 {M_UNLOCK, .object = L}, {M_UNLESS, .value = 1, .target = 9},
						 {M_LOCK, .object = M},	  {M_READ, .object = Y},
						 {M_UNLOCK, .object = M}, {M_UNLESS, .value = 0, .target = 9},
						 {M_ERROR, .value = 0}};
	static const struct model_body bodies[] = {MODEL_BODY(writer), MODEL_BODY(reader)};
	static const struct model_program program = {bodies, 2, 2};
	int with = failures(&program, "atom", NULL, 2000), without = failures(&program, "random", NULL, 2000);

	cr_expect_gt(with, 2 * without, "%d and %d of 2000", with, without);
	cr_expect_gt(with, 300, "%d of 2000", with);
}

/*
 * A consumer waits with `if`, not `while`. It fails if another thread takes the item after the signal, before the
 * waiter has the lock again. Consumers are created last, so they run first if the newest thread does.
 */
static const struct model_op puts_one[] = {
	{M_LOCK, .object = L}, {M_WRITE, .object = X, .value = 1}, {M_BROADCAST, .object = M}, {M_UNLOCK, .object = L}};
static const struct model_op takes_one[] = {{M_LOCK, .object = L},
					    {M_READ, .object = X},
					    {M_UNLESS, .value = 0, .target = 4},
					    {M_COND_WAIT, .object = M, .object2 = L},
					    {M_READ, .object = X},
					    {M_UNLESS, .value = 0, .target = 7},
					    {M_ERROR, .value = 0},
					    {M_WRITE, .object = X, .value = 0},
					    {M_UNLOCK, .object = L}};

Test(samplers, delay_begins_with_the_newest_thread)
{
	static const struct model_body bodies[] = {MODEL_BODY(puts_one), MODEL_BODY(takes_one), MODEL_BODY(takes_one)};
	const struct model_program program = {bodies, 3, 3};

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct model_config config = {.policy = policy("delay"), .options = "order=2,bound=1", .seed = seed};
		struct model_result result;

		model_run(&program, &config, &result);
		cr_expect_eq(result.end, MODEL_ERROR, "seed %lu: %d", seed, result.end);
		model_release(&result);
		config.options = "order=1,bound=1";
		model_run(&program, &config, &result);
		cr_expect_eq(result.end, MODEL_DEADLOCK, "seed %lu: %d", seed,
			     result.end); /* nothing is left to take */
		model_release(&result);
	}
}

/* A thread reads a value, and later writes a new one that depends on it. It must be delayed before the write. */
Test(samplers, delay_makes_a_read_stale_more_often_than_random)
{
	static const struct model_op long_one[] = {
		{M_WRITE, .object = X, .value = 1}, {M_WRITE, .object = X, .value = 2},
		{M_WRITE, .object = X, .value = 3}, {M_WRITE, .object = X, .value = 4},
		{M_WRITE, .object = X, .value = 5}, {M_WRITE, .object = Y, .value = 1}};
	static const struct model_op stale[] = {
		{M_READ, .object = X}, {M_UNLESS, .value = 1, .target = 6}, {M_WRITE, .object = Z, .value = 1},
		{M_READ, .object = Y}, {M_UNLESS, .value = 1, .target = 6}, {M_ERROR, .value = 1}};
	static const struct model_body bodies[] = {MODEL_BODY(long_one), MODEL_BODY(stale)};
	const struct model_program program = {bodies, 2, 2};
	int with = failures(&program, "delay", NULL, 2000), without = failures(&program, "random", NULL, 2000);

	cr_expect_gt(with, 2 * without, "%d and %d of 2000", with, without);
}

/* ---- all policies end all programs ---- */

Test(samplers, every_policy_ends_every_program)
{
	static const struct {
		const char *policy, *options;
	} table[] = {{"rapos", ""},
		     {"rapos", "patience=5"},
		     {"pct", "depth=4,steps=60"},
		     {"pct", "patience=3"},
		     {"pos", ""},
		     {"pos", "patience=2"},
		     {"atom", ""},
		     {"atom", "patience=2"},
		     {"delay", ""},
		     {"delay", "patience=2"},
		     {"delay", "order=2,bound=1"},
		     {"surw", ""},
		     {"rff", ""},
		     {"rff", "patience=2"}};

	for (uint64_t seed = 1; seed <= 700; seed++) {
		static struct generated program;

		generate_program(&program, seed);
		for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
			const struct model_config config = {.policy = policy(table[i].policy),
							    .options = table[i].options,
							    .seed = seed,
							    .max_steps = 100000,
							    .all_accesses = seed % 2};
			struct model_result result;

			model_run(&program.program, &config, &result);
			cr_expect(result.end == MODEL_DONE || result.end == MODEL_DEADLOCK, "row %zu seed %lu: %d %s",
				  i, seed, result.end, result.complaint);
			model_release(&result);
		}
	}
}

/*
 * Programs in which two threads spin until a third thread has executed its last operation. They spin with yields, with
 * a trylock, or with reads under a lock. In the last program the second spinner sleeps between its reads, so the first
 * one is never alone for long.
 */
static const struct model_op spins_on_yield[] = {
	{M_READ, .object = X, .reg = 0}, {M_IF, .value = 1, .target = 4}, {.code = M_YIELD}, {M_GOTO, .target = 0}};
static const struct model_op spins_on_trylock[] = {
	{M_TRYLOCK, .object = L, .reg = 0}, {M_UNLESS, .value = 1, .target = 0}, {M_UNLOCK, .object = L}};
static const struct model_op spins_on_lock[] = {{M_LOCK, .object = M},
						{M_READ, .object = X, .reg = 0},
						{M_UNLOCK, .object = M},
						{M_UNLESS, .value = 1, .target = 0}};
static const struct model_op naps[] = {
	{.code = M_SLEEP}, {M_READ, .object = X, .reg = 0}, {M_UNLESS, .value = 1, .target = 0}};
static const struct model_op releases[] = {{M_LOCK, .object = L},
					   {M_WRITE, .object = Y, .value = 1},
					   {M_WRITE, .object = Z, .value = 1},
					   {M_WRITE, .object = X, .value = 1},
					   {M_UNLOCK, .object = L}};
static const struct model_body yield_bodies[] = {MODEL_BODY(releases), MODEL_BODY(spins_on_yield),
						 MODEL_BODY(spins_on_yield)};
static const struct model_body trylock_bodies[] = {MODEL_BODY(releases), MODEL_BODY(spins_on_trylock),
						   MODEL_BODY(spins_on_trylock)};
static const struct model_body lock_bodies[] = {MODEL_BODY(releases), MODEL_BODY(spins_on_lock), MODEL_BODY(naps)};

/* Under this policy, the program ends. */
static void expect_done(const struct model_program *program, const char *name, struct model_config config)
{
	struct model_result result;

	config.policy = policy(name);
	model_run(program, &config, &result);
	cr_expect_eq(result.end, MODEL_DONE, "%s, seed %lu: %d %s", name, config.seed, result.end, result.complaint);
	model_release(&result);
}

Test(samplers, spinning_threads_do_not_starve_the_others)
{
	static const char *const names[] = {"rapos", "pct", "pos", "surw", "atom", "delay", "sweep", "rff"};
	const struct model_program programs[] = {{yield_bodies, 3, 3}, {trylock_bodies, 3, 3}, {lock_bodies, 3, 3}};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (uint64_t seed = 1; seed <= 400; seed++) {
			const struct model_config config = {.seed = seed, .max_steps = 100000, .all_accesses = true};

			expect_done(&programs[seed % 3], names[i], config);
		}
	}
}

/*
 * A thread that this policy postpones is let go when the others have looked a hundred times, and sooner the next time:
 * a look of a real program may take a millisecond.
 */
Test(samplers, a_postponement_ends_if_the_others_only_spin)
{
	static const struct model_op releases_in_second[] = {{M_LOCK, .object = L},
							     {M_UNLOCK, .object = L},
							     {M_LOCK, .object = L},
							     {M_WRITE, .object = X, .value = 1},
							     {M_UNLOCK, .object = L}};
	static const struct model_body bodies[] = {MODEL_BODY(releases_in_second), MODEL_BODY(spins_on_yield),
						   MODEL_BODY(spins_on_yield)};
	static const struct model_program program = {bodies, 3, 3};

	for (uint64_t seed = 1; seed <= 400; seed++) {
		const struct model_config config = {.seed = seed, .max_steps = 400};

		expect_done(&program, "atom", config);
	}
}

/*
 * Programs in which a thread takes a free lock again and again until another thread has had it. There is one operation
 * before the loop, and the number of operations in the loop divides 1,000. So each turn of 1,000 operations ends while
 * the lock is held. With a third thread, that one then yields. In half of the programs the lock is held nearly all the
 * time.
 */
static const struct model_op grabs[] = {
	{M_SEM_POST, .object = M}, {M_TRYLOCK, .object = L, .reg = 0}, {M_UNLESS, .reg = 0, .value = 1, .target = 4},
	{M_UNLOCK, .object = L},   {M_READ, .object = X, .reg = 1},    {M_UNLESS, .reg = 1, .value = 1, .target = 1}};
static const struct model_op holds[] = {{M_SEM_POST, .object = M},
					{M_TRYLOCK, .object = L, .reg = 0},
					{M_UNLESS, .reg = 0, .value = 1, .target = 12},
					{M_SEM_POST, .object = M},
					{M_SEM_POST, .object = M},
					{M_SEM_POST, .object = M},
					{M_SEM_POST, .object = M},
					{M_SEM_POST, .object = M},
					{M_SEM_POST, .object = M},
					{M_SEM_POST, .object = M},
					{M_SEM_POST, .object = M},
					{M_UNLOCK, .object = L},
					{M_READ, .object = X, .reg = 1},
					{M_UNLESS, .reg = 1, .value = 1, .target = 1}};
static const struct model_op locks_once[] = {
	{M_LOCK, .object = L}, {M_WRITE, .object = X, .value = 1}, {M_UNLOCK, .object = L}};
static const struct model_op polls[] = {
	{.code = M_YIELD}, {M_READ, .object = X, .reg = 0}, {M_UNLESS, .reg = 0, .value = 1, .target = 0}};
static const struct model_body grab_bodies[] = {MODEL_BODY(grabs), MODEL_BODY(locks_once), MODEL_BODY(polls)};
static const struct model_body hold_bodies[] = {MODEL_BODY(holds), MODEL_BODY(locks_once), MODEL_BODY(polls)};

Test(samplers, a_lock_that_is_taken_in_a_loop_does_not_starve_those_who_wait_for_it)
{
	static const char *const names[] = {"random", "rapos", "pct", "pos", "surw", "atom", "delay", "sweep", "rff"};
	const struct model_program programs[] = {
		{grab_bodies, 2, 2}, {hold_bodies, 2, 2}, {grab_bodies, 3, 3}, {hold_bodies, 3, 3}};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (uint64_t seed = 1; seed <= 200; seed++) {
			const struct model_config config = {.seed = seed, .max_steps = 30000, .hints = seed / 2 % 2};

			expect_done(&programs[seed / 4 % 4], names[i], config);
		}
	}
}
