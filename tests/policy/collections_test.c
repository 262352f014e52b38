/*
 * The synchronised collections of the RAPOS paper (Sen, ASE 2007, figure 7) on the model machine. They have the seven
 * threads of the paper's driver (source: tests/bench/programs/collections.c). The only visible accesses are those that
 * change or read CHANGES, as in a run whose points are the statements of a race.
 *
 * The threads start in the order in which the paper lists the methods.
 *
 * How often the program fails follows from the algorithms, so the test asserts it. One run in 28 fails under simple
 * random, one in 110 under RAPOS. RAPOS is not better here, because the main thread creates the threads while others
 * already run. If all threads exist from the start, RAPOS fails 1.05 times as often as simple random. If unlocks were
 * transitions of their own, it would be 0.68 times.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(collections, .timeout = 600);

#define RUNS 20000

enum { CHANGES = 0, IN_A = 64, IN_B = 72 };
enum { A, B };
#define CHANGE 0x10 /* the two statements of the race */
#define LOOK 0x20

static const struct model_op main_ops[] = {
	{M_CREATE, .value = 3}, {M_CREATE, .value = 4}, {M_CREATE, .value = 5}, {M_CREATE, .value = 6},
	{M_CREATE, .value = 7}, {M_CREATE, .value = 1}, {M_CREATE, .value = 2},
};

/* b.remove(o) */
static const struct model_op remove_from_b[] = {
	{M_LOCK, .object = B},
	{M_READ, .object = IN_B},
	{M_IF, .value = 0, .target = 5},
	{M_WRITE, .object = CHANGES, .value = 2, .site = CHANGE},
	{M_WRITE, .object = IN_B, .value = 0},
	{M_UNLOCK, .object = B},
};

/* a.removeAll(b) */
static const struct model_op remove_all[] = {
	{M_LOCK, .object = B},
	{M_LOCK, .object = A},
	{M_READ, .object = IN_A},
	{M_IF, .value = 0, .target = 7},
	{M_READ, .object = IN_B},
	{M_IF, .value = 0, .target = 7},
	{M_WRITE, .object = IN_A, .value = 0},
	{M_UNLOCK, .object = A},
	{M_UNLOCK, .object = B},
};

static const struct model_op add_to_a[] = {
	{M_LOCK, .object = A},
	{M_WRITE, .object = IN_A, .value = 1},
	{M_UNLOCK, .object = A},
};

/* b.addAll(a) */
static const struct model_op add_all[] = {
	{M_LOCK, .object = B},
	{M_LOCK, .object = A},
	{M_READ, .object = IN_A},
	{M_UNLOCK, .object = A},
	{M_IF, .value = 0, .target = 7},
	{M_WRITE, .object = CHANGES, .value = 1, .site = CHANGE},
	{M_WRITE, .object = IN_B, .value = 1},
	{M_UNLOCK, .object = B},
};

static const struct model_op clear_a[] = {
	{M_LOCK, .object = A},
	{M_WRITE, .object = IN_A, .value = 0},
	{M_UNLOCK, .object = A},
};

/* b.contains(o) */
static const struct model_op look_in_b[] = {
	{M_LOCK, .object = B},
	{M_READ, .object = IN_B},
	{M_UNLOCK, .object = B},
};

/*
 * a.containsAll(b). It counts b's changes when the walk begins and again at the first item. If the two counts differ,
 * it fails. If two changes have been made, b is empty.
 */
#define WALK                                                                                                           \
	{M_READ, .reg = 0, .object = CHANGES, .site = LOOK}, {M_READ, .reg = 1, .object = IN_B},                       \
		{M_IF, .reg = 1, .value = 0, .target = 10}, {M_READ, .reg = 2, .object = CHANGES, .site = LOOK},       \
		{M_IF, .reg = 0, .value = 0, .target = 8}, {M_IF, .reg = 2, .value = 1, .target = 10},                 \
		{M_ERROR, .value = 1}, {M_IF, .reg = 2, .value = 0, .target = 10},                                     \
	{                                                                                                              \
		M_ERROR, .value = 1                                                                                    \
	}
static const struct model_op contains_all[] = {{M_LOCK, .object = A}, WALK, {M_UNLOCK, .object = A}};

/* In the fixed twin, the walk holds the lock of the collection that it walks through. */
static const struct model_op contains_all_fixed[] = {{M_LOCK, .object = B}, WALK, {M_UNLOCK, .object = B}};

static const struct model_body bodies[] = {
	MODEL_BODY(main_ops), MODEL_BODY(remove_from_b), MODEL_BODY(remove_all), MODEL_BODY(add_to_a),
	MODEL_BODY(add_all),  MODEL_BODY(clear_a),	 MODEL_BODY(look_in_b),	 MODEL_BODY(contains_all),
};
static const struct model_body fixed_bodies[] = {
	MODEL_BODY(main_ops), MODEL_BODY(remove_from_b), MODEL_BODY(remove_all), MODEL_BODY(add_to_a),
	MODEL_BODY(add_all),  MODEL_BODY(clear_a),	 MODEL_BODY(look_in_b),	 MODEL_BODY(contains_all_fixed),
};

/* Counts the failing runs. Each run gets the blob that the run before it saved, because pct and surw learn from it. */
static int failures(const struct model_body *threads, const char *name, int runs)
{
	const struct model_program program = {threads, 8, 1};
	struct rfs_blob blob = {0};
	int failed = 0;

	for (int seed = 1; seed <= runs; seed++) {
		struct rfs_blob saved = {0};
		const struct model_config config = {.policy = rfs_policy_find(name),
						    .seed = (uint64_t)seed,
						    .pair = {CHANGE, LOOK},
						    .blob = blob.data ? &blob : NULL,
						    .saved = &saved};
		struct model_result result;

		model_run(&program, &config, &result);
		cr_assert(result.end == MODEL_DONE || result.end == MODEL_ERROR, "%s: %d %s", name, result.end,
			  result.complaint);
		failed += result.end == MODEL_ERROR;
		model_release(&result);
		free(blob.data);
		blob = saved;
	}
	free(blob.data);
	return failed;
}

Test(collections, the_walk_fails_as_often_as_the_algorithm_makes_it)
{
	static const struct {
		const char *name;
		double one_in;
	} expected[] = {{"random", 28}, {"rapos", 110}, {"pct", 123}, {"pos", 67}, {"surw", 63}};

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		int failed = failures(bodies, expected[i].name, RUNS);
		double mean = RUNS / expected[i].one_in;

		/* four standard deviations, from the errors of both this sample and the expected figure */
		cr_expect(fabs(failed - mean) <= 4 * sqrt(2 * mean), "%s: %d of %d", expected[i].name, failed, RUNS);
	}
}

Test(collections, the_twin_never_fails)
{
	static const char *const names[] = {"random", "rapos", "pct", "pos", "surw"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_expect_eq(failures(fixed_bodies, names[i], 3000), 0, "%s", names[i]);
}
