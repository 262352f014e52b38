/*
 * papers_test.c - the worked examples of the papers, on the model machine.
 *
 * Seeds are fixed, so no test is flaky. The bounds hold for a correct policy with any seed, within three standard
 * deviations (99.7 %) if nothing else is stated.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(papers, .timeout = 120);

enum { X = 0, Y = 8, Z = 16, SCRATCH = 64 };
enum { L = 0 };

static const struct rfs_policy_ops *policy(const char *name)
{
	const struct rfs_policy_ops *found = rfs_policy_find(name);

	cr_assert_not_null(found);
	return found;
}

/*
 * RAPOS (ASE 2007), figure 1: thread 2 has one operation, thread 1 has four. Simple random executes the one operation
 * after 0, 1, 2, 3 or 4 of the others, with probabilities 1/2, 1/4, 1/8, 1/16 and 1/16. Only the last shows the error.
 * The paper prints 0.03125 for the last, but then its five numbers sum to 0.97. Here the value that thread 2 reads is
 * the number of operations before it.
 */
Test(papers, simple_random_finds_rapos_figure_1_with_one_in_sixteen)
{
	const struct model_op writer[] = {
		{M_WRITE, .object = X, .value = 1},
		{M_WRITE, .object = X, .value = 2},
		{M_WRITE, .object = X, .value = 3},
		{M_WRITE, .object = X, .value = 4},
	};
	const struct model_op reader[] = {
		{M_READ, .object = X},
		{M_STORE, .object = Y},
		{M_UNLESS, .value = 4, .target = 4},
		{M_ERROR, .value = 1},
	};
	const struct model_body bodies[] = {MODEL_BODY(writer), MODEL_BODY(reader)};
	const struct model_program program = {bodies, 2, 2};
	const double expected[] = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 16};
	const int runs = 20000;
	int seen[5] = {0}, errors = 0;

	for (int seed = 1; seed <= runs; seed++) {
		const struct model_config config = {.policy = policy("random"), .seed = seed, .all_accesses = true};
		struct model_result result;

		model_run(&program, &config, &result);
		cr_assert(result.end == MODEL_DONE || result.end == MODEL_ERROR, "%s", result.complaint);
		errors += result.end == MODEL_ERROR;
		seen[model_value(&result, Y)]++;
		model_release(&result);
	}
	cr_expect_eq(errors, seen[4]);
	for (int i = 0; i < 5; i++) {
		double sigma = sqrt(runs * expected[i] * (1 - expected[i]));

		cr_expect(fabs(seen[i] - runs * expected[i]) <= 3 * sigma, "place %d: %d of %d", i, seen[i], runs);
	}
}

/* RaceFuzzer (PLDI 2008), figure 1. Sites are the paper's statement numbers. */
static const struct model_op figure_1_thread_1[] = {
	{M_WRITE, .object = X, .value = 1, .site = 1},
	{M_LOCK, .object = L},
	{M_WRITE, .object = Y, .value = 1, .site = 3},
	{M_UNLOCK, .object = L},
	{M_READ, .object = Z, .site = 5},
	{M_UNLESS, .value = 1, .target = 7},
	{M_ERROR, .value = 1},
};
static const struct model_op figure_1_thread_2[] = {
	{M_WRITE, .object = Z, .value = 1, .site = 7},
	{M_LOCK, .object = L},
	{M_READ, .object = Y, .site = 9},
	{M_UNLESS, .value = 1, .target = 7},
	{M_READ, .object = X, .site = 10},
	{M_IF, .value = 1, .target = 7},
	{M_ERROR, .value = 2},
	{M_UNLOCK, .object = L},
};
static const struct model_op figure_1_main[] = {
	{M_CREATE, .reg = 0, .value = 1},
	{M_CREATE, .reg = 1, .value = 2},
	{M_JOIN, .reg = 0},
	{M_JOIN, .reg = 1},
};
static const struct model_body figure_1_bodies[] = {
	MODEL_BODY(figure_1_main),
	MODEL_BODY(figure_1_thread_1),
	MODEL_BODY(figure_1_thread_2),
};
static const struct model_program figure_1 = {figure_1_bodies, 3, 1};

Test(papers, hybrid_predicts_the_pairs_on_x_and_z_of_figure_1)
{
	int on_x = 0, on_z = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		const struct model_config config = {
			.policy = policy("random"), .seed = seed, .detectors = {rfs_detector_find("hybrid")}};
		struct model_result result;

		model_run(&figure_1, &config, &result);
		for (size_t i = 0; i < result.n_pairs[0]; i++) {
			struct model_pair pair = result.pairs[0][i];
			bool x = pair.low == 1 && pair.high == 10, z = pair.low == 5 && pair.high == 7;

			cr_expect(x || z, "(%lu, %lu)", pair.low, pair.high);
			on_x += x;
			on_z += z;
		}
		model_release(&result);
	}
	cr_expect_eq(on_z, 20); /* under every schedule */
	cr_expect_gt(on_x, 0);	/* only under schedules in which thread 2 reaches statement 10 */
}

struct campaign {
	int created, failed, reached_both;
};

static struct campaign confirm(const struct model_program *program, rfs_site a, rfs_site b, uint64_t first_seed,
			       const char *options)
{
	struct campaign campaign = {0};

	for (uint64_t seed = first_seed; seed < first_seed + 100; seed++) {
		const struct model_config config = {
			.policy = policy("racefuzzer"), .seed = seed, .pair = {a, b}, .options = options};
		struct model_result result;

		model_run(program, &config, &result);
		cr_assert(result.end == MODEL_DONE || result.end == MODEL_ERROR, "%d %s", result.end, result.complaint);
		cr_expect_eq(result.n_races, result.stat_races);
		campaign.created += result.n_races > 0;
		campaign.failed += result.end == MODEL_ERROR && result.error == 1;
		cr_expect(result.end == MODEL_DONE || result.error == 1, "the impossible error 2");
		campaign.reached_both += result.reached[0] && result.reached[1];
		model_release(&result);
	}
	return campaign;
}

static const uint64_t first_seeds[] = {1, 1001, 2001};

/* 35 to 65 of 100 runs fail: three standard deviations of a fair coin. */
Test(papers, racefuzzer_creates_the_race_on_z_of_figure_1_and_half_of_the_runs_fail)
{
	for (size_t i = 0; i < 3; i++) {
		struct campaign z = confirm(&figure_1, 5, 7, first_seeds[i], NULL);

		cr_expect_eq(z.created, 100, "%d", z.created);
		cr_expect(z.failed >= 35 && z.failed <= 65, "%d", z.failed);
	}
}

/*
 * The pair is x = 1 (statement 1) and statement 10. The printed algorithm postpones thread 1 until thread 2 has ended.
 * So thread 2 reads y == 0 and never reaches statement 10. With skip=50 some arrivals pass. Both statements are then
 * reached, but the lock on y keeps them apart.
 */
Test(papers, racefuzzer_never_creates_the_false_race_on_x_of_figure_1)
{
	for (size_t i = 0; i < 3; i++) {
		struct campaign strict = confirm(&figure_1, 1, 10, first_seeds[i], NULL);
		struct campaign skipping = confirm(&figure_1, 1, 10, first_seeds[i], "skip=50");

		cr_expect_eq(strict.created, 0);
		cr_expect_eq(strict.reached_both, 0);
		cr_expect_eq(skipping.created, 0);
		cr_expect_gt(skipping.reached_both, 0);
	}
}

/* RaceFuzzer (PLDI 2008), figure 2, with n statements before the race. figure_2_release() frees the operations. */
struct figure_2 {
	struct model_op *reader, *writer;
	struct model_body bodies[2];
	struct model_program program;
};

static void figure_2_init(struct figure_2 *figure, size_t n)
{
	const struct model_op lock = {M_LOCK, .object = L}, unlock = {M_UNLOCK, .object = L};
	size_t at = 0;

	figure->reader = calloc(n + 5, sizeof(struct model_op));
	figure->writer = calloc(n + 3, sizeof(struct model_op));
	cr_assert(figure->reader && figure->writer);
	figure->reader[at++] = lock;
	for (size_t i = 0; i < n; i++)
		figure->reader[at++] = (struct model_op){M_WRITE, .object = SCRATCH, .value = i};
	figure->reader[at++] = unlock;
	figure->reader[at++] = (struct model_op){M_READ, .object = X, .site = 8};
	figure->reader[at++] = (struct model_op){M_UNLESS, .value = 0, .target = n + 5};
	figure->reader[at++] = (struct model_op){M_ERROR, .value = 1};
	figure->bodies[0] = (struct model_body){figure->reader, at};
	at = 0;
	figure->writer[at++] = (struct model_op){M_WRITE, .object = X, .value = 1, .site = 10};
	figure->writer[at++] = lock;
	for (size_t i = 0; i < n; i++)
		figure->writer[at++] = (struct model_op){M_WRITE, .object = SCRATCH, .value = i};
	figure->writer[at++] = unlock;
	figure->bodies[1] = (struct model_body){figure->writer, at};
	figure->program = (struct model_program){figure->bodies, 2, 2};
	/* program points to bodies in the same struct, so the struct must not be copied */
}

static void figure_2_release(struct figure_2 *figure)
{
	free(figure->reader);
	free(figure->writer);
}

Test(papers, racefuzzer_creates_the_race_of_figure_2_however_far_apart)
{
	const size_t lengths[] = {5, 500, 50000};

	for (size_t l = 0; l < 3; l++) {
		struct figure_2 figure;

		figure_2_init(&figure, lengths[l]);
		for (size_t i = 0; i < 3; i++) {
			struct campaign campaign = confirm(&figure.program, 8, 10, first_seeds[i], NULL);

			cr_expect_eq(campaign.created, 100, "%zu: %d", lengths[l], campaign.created);
			cr_expect(campaign.failed >= 35 && campaign.failed <= 65, "%zu: %d", lengths[l],
				  campaign.failed);
		}
		figure_2_release(&figure);
	}
}

/* The error needs thread 1 to execute n + 3 operations before thread 2 executes one. Its probability is 2^-(n + 3). */
Test(papers, simple_random_misses_the_error_of_figure_2)
{
	const struct {
		size_t length;
		int runs, most;
	} table[] = {{5, 1000, 16}, {500, 100, 0}, {50000, 3, 0}}; /* n = 5: 3.9 expected, 99.9999 % below 17 */

	for (size_t l = 0; l < 3; l++) {
		struct figure_2 figure;
		int errors = 0;

		figure_2_init(&figure, table[l].length);
		for (int seed = 1; seed <= table[l].runs; seed++) {
			const struct model_config config = {
				.policy = policy("random"), .seed = seed, .all_accesses = true};
			struct model_result result;

			model_run(&figure.program, &config, &result);
			errors += result.end == MODEL_ERROR;
			model_release(&result);
		}
		cr_expect_leq(errors, table[l].most, "%zu: %d", table[l].length, errors);
		figure_2_release(&figure);
	}
}
