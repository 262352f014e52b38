/*
 * SURW on the model machine, in shapes that its paper does not have: threads that are blocked at the drawn lock, and
 * programs whose first run does not show all that later ones do.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/policy/enumerate.h"

#include "policy/registry.h"

TestSuite(surw, .timeout = 120);

enum { X = 0, Y = 8, M = 0, S = 1 };

/* Runs the program once, with the profile of the run before; *blob becomes what this run saves. */
static enum model_end run(const struct model_program *program, uint64_t seed, struct rfs_blob *blob)
{
	struct rfs_blob saved = {0};
	const struct model_config config = {.policy = rfs_policy_find("surw"),
					    .seed = seed,
					    .all_accesses = true,
					    .blob = blob->data ? blob : NULL,
					    .saved = &saved};
	struct model_result result;
	enum model_end end;

	model_run(program, &config, &result);
	cr_assert(result.end == MODEL_DONE || result.end == MODEL_ERROR || result.end == MODEL_DEADLOCK, "%d %s",
		  result.end, result.complaint);
	end = result.end;
	model_release(&result);
	free(blob->data);
	*blob = saved;
	return end;
}

static void expect_uniform(const struct model_program *program, size_t n_orders, const char *what)
{
	const int runs = 12000;
	struct partial_orders orders = {0};
	struct rfs_blob blob = {0};

	run(program, 1, &blob);
	for (uint64_t seed = 2; seed < 2 + (uint64_t)runs; seed++)
		sample_program(program, rfs_policy_find("surw"), NULL, &blob, seed, &orders);
	cr_expect_eq(orders.n, n_orders, "%s: %zu orders", what, orders.n);
	for (size_t i = 0; i < orders.n; i++) {
		double expected = (double)runs / (double)n_orders,
		       sigma = sqrt(expected * (1 - 1.0 / (double)n_orders));

		cr_expect(fabs((double)orders.counts[i] - expected) <= 4 * sigma, "%s, order %zu: %lu times of %.0f",
			  what, i, orders.counts[i], expected);
	}
	partial_orders_release(&orders);
	free(blob.data);
}

static const struct model_op twice[] = {
	{M_LOCK, .object = M}, {M_UNLOCK, .object = M}, {M_LOCK, .object = M}, {M_UNLOCK, .object = M}};
static const struct model_op once[] = {{M_LOCK, .object = M}, {M_UNLOCK, .object = M}};
static const struct model_op starts_two[] = {{M_CREATE, .value = 1}, {M_CREATE, .value = 2}};
static const struct model_op thrice[] = {{M_LOCK, .object = M},	  {M_UNLOCK, .object = M}, {M_LOCK, .object = M},
					 {M_UNLOCK, .object = M}, {M_LOCK, .object = M},   {M_UNLOCK, .object = M}};

/* While one of them holds the mutex, the other one is blocked, but may still be the next to take it. */
Test(surw, a_thread_that_is_blocked_at_the_drawn_lock_is_drawn)
{
	const struct model_body two[] = {MODEL_BODY(starts_two), MODEL_BODY(twice), MODEL_BODY(twice)};
	const struct model_body unequal[] = {MODEL_BODY(starts_two), MODEL_BODY(thrice), MODEL_BODY(once)};

	expect_uniform(&(struct model_program){two, 3, 1}, 6, "twice each");
	expect_uniform(&(struct model_program){unequal, 3, 1}, 4, "three times and once");
}

/* The readers of a lock and its writer: a blocked writer comes before, between and after them. */
Test(surw, blocked_writers_are_drawn)
{
	const struct model_op reads[] = {{M_RDLOCK, .object = M}, {M_READ, .object = X}, {M_RWUNLOCK, .object = M},
					 {M_RDLOCK, .object = M}, {M_READ, .object = X}, {M_RWUNLOCK, .object = M}};
	const struct model_op writes[] = {
		{M_WRLOCK, .object = M}, {M_WRITE, .object = X, .value = 1}, {M_RWUNLOCK, .object = M}};
	const struct model_body bodies[] = {MODEL_BODY(starts_two), MODEL_BODY(reads), MODEL_BODY(writes)};
	const struct model_program program = {bodies, 3, 1};
	struct partial_orders orders = {0};
	struct rfs_blob blob = {0};

	run(&program, 1, &blob);
	for (uint64_t seed = 2; seed <= 3001; seed++)
		sample_program(&program, rfs_policy_find("surw"), NULL, &blob, seed, &orders);
	cr_expect_eq(orders.n, 3, "%zu", orders.n);
	for (size_t i = 0; i < orders.n; i++)
		cr_expect_gt(orders.counts[i], 500);
	partial_orders_release(&orders);
	free(blob.data);
}

/* Blocked at the drawn semaphore, whose posts are interesting too: only the thread that posts can go on. */
Test(surw, a_thread_that_only_an_interesting_operation_lets_go_does_not_stop_the_run)
{
	const struct model_op waits[] = {{M_SEM_WAIT, .object = S}, {M_SEM_WAIT, .object = S}};
	const struct model_op posts[] = {{M_SEM_POST, .object = S}, {M_SEM_POST, .object = S}};
	const struct model_body bodies[] = {MODEL_BODY(starts_two), MODEL_BODY(waits), MODEL_BODY(posts)};
	const struct model_program program = {bodies, 3, 1};

	for (uint64_t first = 1; first <= 50; first++) {
		struct rfs_blob blob = {0};

		for (uint64_t seed = first; seed < first + 20; seed++)
			cr_expect_eq(run(&program, seed, &blob), MODEL_DONE);
		free(blob.data);
	}
}

/*
 * In the run that made the profile, the second thread did most of the work. Now the first one does, and the second one
 * yields until it is done. The second thread is intended, and must not be waited for until the run ends. Only the
 * accesses to X and the yields are operations.
 */
Test(surw, a_thread_that_waits_for_one_that_is_held_back_is_given_up)
{
	const struct model_op reads[] = {{M_READ, .object = X, .site = 1}},
			      works[] = {{M_INC, .object = X, .site = 2}, {M_INC, .object = X, .site = 2}};
	const struct model_op does[] = {{M_READ, .object = X, .site = 1},
					{M_YIELD, .object = 0},
					{M_READ, .object = X, .site = 1},
					{M_WRITE, .object = Y, .value = 1}};
	const struct model_op looks[] = {{M_READ, .object = Y}, {M_UNLESS, .value = 1, .target = 3},
					 {M_GOTO, .target = 5}, {M_YIELD, .object = 0},
					 {M_GOTO, .target = 0}, {M_INC, .object = X, .site = 2}};
	const struct model_body first[] = {MODEL_BODY(starts_two), MODEL_BODY(reads), MODEL_BODY(works)};
	const struct model_body later[] = {MODEL_BODY(starts_two), MODEL_BODY(does), MODEL_BODY(looks)};
	const struct model_program programs[] = {{first, 3, 1}, {later, 3, 1}};
	struct rfs_blob profile = {0};

	for (uint64_t seed = 1; seed < 202; seed++) {
		const struct model_config config = {.policy = rfs_policy_find("surw"),
						    .seed = seed,
						    .pair = {1, 2},
						    .blob = seed > 1 ? &profile : NULL,
						    .saved = seed > 1 ? NULL : &profile,
						    .max_steps = 20000};
		struct model_result result;

		model_run(&programs[seed > 1], &config, &result);
		cr_expect_eq(result.end, MODEL_DONE, "seed %lu: %d", seed, result.end);
		model_release(&result);
	}
	free(profile.data);
}

static bool has_object(const struct rfs_blob *blob, rfs_addr object)
{
	for (size_t at = 0; at + sizeof(object) <= blob->size; at += sizeof(object))
		if (memcmp((const char *)blob->data + at, &object, sizeof(object)) == 0)
			return true;
	return false;
}

/* Reads X, and uses Y only if it has been written. The writer comes first in a part of the runs. */
static const struct model_op writer[] = {{M_WRITE, .object = X, .value = 1}, {M_WRITE, .object = Y, .value = 1}};
static const struct model_op reader[] = {{M_READ, .object = X},
					 {M_UNLESS, .value = 1, .target = 5},
					 {M_INC, .object = Y},
					 {M_INC, .object = Y},
					 {M_INC, .object = Y}};

/* With the profile of the first run alone, this would never be learnt, or be believed for ever. */
Test(surw, later_runs_refresh_the_profile)
{
	const struct model_body bodies[] = {MODEL_BODY(starts_two), MODEL_BODY(writer), MODEL_BODY(reader)};
	const struct model_program program = {bodies, 3, 1};
	int grew = 0, shrank = 0;

	for (uint64_t first = 1; first <= 100; first++) {
		struct rfs_blob blob = {0};
		size_t before, after;

		run(&program, first * 1000, &blob);
		before = blob.size;
		for (uint64_t seed = 1; seed <= 40; seed++)
			run(&program, first * 1000 + seed, &blob);
		after = blob.size;
		grew += after > before;
		shrank += after < before;
		cr_expect(has_object(&blob, MODEL_BASE + Y));
		free(blob.data);
	}
	cr_expect_gt(grew, 10, "%d", grew);
	cr_expect_eq(shrank, 0, "%d", shrank); /* a branch that one run in two takes stays */
}

/* What no run uses any more, such as a block that is elsewhere now, is forgotten. */
Test(surw, the_profile_forgets_what_is_not_used)
{
	const struct model_body old[] = {MODEL_BODY(starts_two), MODEL_BODY(writer), MODEL_BODY(writer)};
	const struct model_body new[] = {MODEL_BODY(starts_two), MODEL_BODY(twice), MODEL_BODY(twice)};
	struct rfs_blob blob = {0};

	run(&(struct model_program){old, 3, 1}, 1, &blob);
	for (uint64_t seed = 2; seed <= 10; seed++)
		run(&(struct model_program){new, 3, 1}, seed, &blob);
	cr_expect(has_object(&blob, MODEL_BASE + Y));
	for (uint64_t seed = 11; seed <= 30; seed++)
		run(&(struct model_program){new, 3, 1}, seed, &blob);
	cr_expect_not(has_object(&blob, MODEL_BASE + Y));
	free(blob.data);
}
