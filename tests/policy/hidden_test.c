/*
 * Races that the order of critical sections hides from a happens-before detector (DrFinder, FSE 2015, section 2), in
 * 120 generated programs. In each, an early thread writes x and then enters a section of class A; a late thread first
 * does other work, in functions that it calls, then enters a section of class A, and then reads x. The race on x shows
 * only if the late thread has A first. Threads that only use locks are in the way.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "policy/core/rng.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(hidden, .timeout = 300);

#define PROGRAMS 120
#define RUNS 3
enum { X = 0, S = 16 };
enum { A, B, C };
enum { X_WRITE = 1, X_READ };
enum { HELPER = 77, SECTION };
enum { MAIN, EARLY, LATE, OTHER, BODIES };
#define OPS 64

struct hidden {
	struct model_op ops[BODIES][OPS];
	struct model_body bodies[BODIES];
	struct model_program program;
};

static void add(struct hidden *h, size_t body, struct model_op op)
{
	cr_assert_lt(h->bodies[body].n, OPS);
	h->ops[body][h->bodies[body].n++] = op;
}

static void section(struct hidden *h, size_t body, uint64_t lock, uint64_t function)
{
	add(h, body, (struct model_op){M_LOCK, .object = lock, .function = function});
	add(h, body, (struct model_op){M_WRITE, .object = S + 8 * lock, .site = 10 + body, .function = function});
	add(h, body, (struct model_op){M_UNLOCK, .object = lock, .function = function});
}

static void build(struct hidden *h, uint64_t seed)
{
	struct rfs_rng rng;
	uint64_t work, others;

	*h = (struct hidden){0};
	rfs_rng_init(&rng, seed);
	work = 4 + rfs_rng_below(&rng, 9);
	others = rfs_rng_below(&rng, 3);
	/* half of the early threads do a little first, too */
	for (uint64_t i = rfs_rng_below(&rng, 2) * rfs_rng_below(&rng, 3); i > 0; i--)
		section(h, EARLY, C, HELPER);
	add(h, EARLY, (struct model_op){M_WRITE, .object = X, .value = 1, .site = X_WRITE});
	section(h, EARLY, A, rfs_rng_chance(&rng, 1, 2) ? SECTION : 0);
	for (uint64_t i = 0; i < work; i++) /* mostly in a function that never takes A itself */
		section(h, LATE, B, rfs_rng_chance(&rng, 9, 10) ? HELPER : 0);
	section(h, LATE, A, rfs_rng_chance(&rng, 1, 2) ? SECTION : 0);
	add(h, LATE, (struct model_op){M_READ, .object = X, .site = X_READ});
	for (uint64_t i = 0; i < 3; i++)
		section(h, OTHER, rfs_rng_chance(&rng, 1, 2) ? B : C, HELPER);
	if (rfs_rng_chance(&rng, 1, 2))
		section(h, OTHER, A, SECTION);
	add(h, MAIN, (struct model_op){M_CREATE, .reg = 0, .value = LATE});
	for (uint64_t i = 0; i < others; i++)
		add(h, MAIN, (struct model_op){M_CREATE, .reg = 2, .value = OTHER});
	add(h, MAIN, (struct model_op){M_CREATE, .reg = 1, .value = EARLY});
	for (size_t i = 0; i < BODIES; i++)
		h->bodies[i].ops = h->ops[i];
	h->program = (struct model_program){h->bodies, BODIES, 1};
}

/* Whether RUNS runs of the policy, each with what the one before saved, show the race on x. */
static bool shows(const struct hidden *h, const char *policy, uint64_t seed)
{
	struct rfs_blob blob = {0};
	bool shown = false;

	for (uint64_t run = 0; run < RUNS; run++) {
		struct rfs_blob saved = {0};
		const struct model_config config = {.policy = rfs_policy_find(policy),
						    .seed = seed * 1000 + run,
						    .blob = blob.data ? &blob : NULL,
						    .saved = &saved,
						    .detectors = {rfs_detector_find("fasttrack")}};
		struct model_result result;

		model_run(&h->program, &config, &result);
		cr_assert_eq(result.end, MODEL_DONE, "%s", result.complaint);
		for (size_t i = 0; i < result.n_pairs[0]; i++)
			shown |= result.pairs[0][i].low == X_WRITE && result.pairs[0][i].high == X_READ;
		model_release(&result);
		free(blob.data);
		blob = saved;
	}
	free(blob.data);
	return shown;
}

static int count(const char *policy)
{
	static struct hidden hidden;
	int n = 0;

	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		build(&hidden, seed);
		n += shows(&hidden, policy, seed);
	}
	return n;
}

Test(hidden, drfinder_shows_most_of_the_hidden_races)
{
	int simple = count("random"), finder = count("drfinder");

	cr_log_info("hidden races shown in %d runs, of %d: drfinder %d, random %d", RUNS, PROGRAMS, finder, simple);
	cr_expect_geq(finder, PROGRAMS * 8 / 10, "%d", finder);
	cr_expect_lt(simple, finder);
}
