/* The sampler deadlock on the model machine: known cycles, and the cycles of random programs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/detect/lock_graph.h"
#include "tests/policy/lock_programs.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(deadlock, .timeout = 120);

#define OBJECT(n) (MODEL_OBJECT_BASE + 64u * (n))
/* Body b wants lock `inner` at operation i while it holds lock `outer`, acquired at operation o. */
#define PART(b, outer, o, inner, i)                                                                                    \
	{                                                                                                              \
		.thread = b, .held = {.lock = OBJECT(outer), .site = MODEL_SITE(b, o)}, .wanted = {                    \
			.lock = OBJECT(inner),                                                                         \
			.site = MODEL_SITE(b, i)                                                                       \
		}                                                                                                      \
	}

static struct model_result run(const struct model_program *program, const struct rfs_lock_cycle_part *cycle, size_t n,
			       uint64_t seed)
{
	const struct model_config config = {
		.policy = rfs_policy_find(cycle ? "deadlock" : "random"), .seed = seed, .cycle = cycle, .n_cycle = n};
	struct model_result result;

	model_run(program, &config, &result);
	cr_assert_neq(result.end, MODEL_BAD_CHOICE, "%s", result.complaint);
	cr_assert_neq(result.end, MODEL_STEPS);
	return result;
}

static size_t count_deadlocks(const struct model_program *program, const struct rfs_lock_cycle_part *cycle, size_t n,
			      uint64_t runs)
{
	size_t found = 0;

	for (uint64_t seed = 0; seed < runs; seed++) {
		struct model_result result = run(program, cycle, n, seed);

		found += result.end == MODEL_DEADLOCK;
		model_release(&result);
	}
	return found;
}

/* Two orders, far from each other: the second thread does much before. */
#define MUCH 40
struct far {
	struct model_op ops[3][2 * MUCH + 8];
	struct model_body bodies[3];
	struct model_program program;
};

static void make_far(struct far *far)
{
	static const struct model_op start[] = {{M_CREATE, .reg = 1, .value = 1},
						{M_CREATE, .reg = 2, .value = 2},
						{M_JOIN, .reg = 1},
						{M_JOIN, .reg = 2}};
	static const struct model_op early[] = {
		{M_LOCK, .object = 0}, {M_LOCK, .object = 1}, {M_UNLOCK, .object = 1}, {M_UNLOCK, .object = 0}};
	static const struct model_op late[] = {
		{M_LOCK, .object = 1}, {M_LOCK, .object = 0}, {M_UNLOCK, .object = 0}, {M_UNLOCK, .object = 1}};

	*far = (struct far){0};
	memcpy(far->ops[0], start, sizeof(start));
	memcpy(far->ops[1], early, sizeof(early));
	for (size_t i = 0; i < MUCH; i++) {
		far->ops[2][2 * i] = (struct model_op){M_LOCK, .object = 2};
		far->ops[2][2 * i + 1] = (struct model_op){M_UNLOCK, .object = 2};
	}
	memcpy(&far->ops[2][2 * MUCH], late, sizeof(late));
	far->bodies[0] = (struct model_body){far->ops[0], 4};
	far->bodies[1] = (struct model_body){far->ops[1], 4};
	far->bodies[2] = (struct model_body){far->ops[2], 2 * MUCH + 4};
	far->program = (struct model_program){far->bodies, 3, 1};
}

Test(deadlock, creates_two_orders_that_are_far_from_each_other)
{
	static const struct rfs_lock_cycle_part cycle[] = {PART(1, 0, 0, 1, 1), PART(2, 1, 2 * MUCH, 0, 2 * MUCH + 1)};
	struct far far;
	size_t random, directed;

	make_far(&far);
	random = count_deadlocks(&far.program, NULL, 0, 200);
	directed = count_deadlocks(&far.program, cycle, 2, 200);
	cr_log_info("of 200 runs: random %zu, deadlock %zu", random, directed);
	cr_expect_lt(random, 10);
	cr_expect_gt(directed, 100);
}

Test(deadlock, the_same_seed_makes_the_same_run)
{
	static const struct rfs_lock_cycle_part cycle[] = {PART(1, 0, 0, 1, 1), PART(2, 1, 2 * MUCH, 0, 2 * MUCH + 1)};
	struct far far;

	make_far(&far);
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct model_result a = run(&far.program, cycle, 2, seed), b = run(&far.program, cycle, 2, seed);

		cr_expect_eq(a.end, b.end);
		cr_assert_eq(a.n_steps, b.n_steps);
		cr_expect_eq(memcmp(a.steps, b.steps, a.n_steps * sizeof(*a.steps)), 0);
		model_release(&a);
		model_release(&b);
	}
}

/* A ring of five: each thread wants the lock of the next one. */
Test(deadlock, creates_a_ring_of_five)
{
	struct model_op ops[6][10];
	struct model_body bodies[6];
	const struct model_program program = {bodies, 6, 1};
	struct rfs_lock_cycle_part cycle[5];
	size_t directed;

	for (int k = 0; k < 5; k++) {
		const struct rfs_lock_cycle_part part = PART(k + 1, k, 0, (k + 1) % 5, 1);
		const struct model_op body[] = {{M_LOCK, .object = k},
						{M_LOCK, .object = (k + 1) % 5},
						{M_UNLOCK, .object = (k + 1) % 5},
						{M_UNLOCK, .object = k}};

		cycle[k] = part;
		ops[0][k] = (struct model_op){M_CREATE, .reg = k, .value = k + 1};
		ops[0][5 + k] = (struct model_op){M_JOIN, .reg = k};
		memcpy(ops[k + 1], body, sizeof(body));
		bodies[k + 1] = (struct model_body){ops[k + 1], 4};
	}
	bodies[0] = (struct model_body){ops[0], 10};
	directed = count_deadlocks(&program, cycle, 5, 100);
	cr_log_info("of 100 runs: random %zu, deadlock %zu", count_deadlocks(&program, NULL, 0, 100), directed);
	cr_expect_gt(directed, 50);
}

/* Nearly every cycle of a random program that some schedule reaches is created within ten runs. */
Test(deadlock, creates_the_cycles_of_random_programs)
{
	size_t cycles = 0, created = 0, by_random = 0, within = 0;

	for (uint64_t seed = 0; seed < 500; seed++) {
		struct lock_program program;
		struct lock_cycles all, found;

		lock_program_generate(&program, seed);
		lock_program_reach(&program, &all);
		if (!lock_program_predict(&program, seed, &found))
			continue;
		for (size_t i = 0; i < found.n; i++) {
			struct rfs_lock_cycle_part parts[LOCK_BODIES];
			size_t n = lock_cycle_parts(&program, &found.list[i], parts);
			bool once = false;

			if (!lock_cycles_have(&all, &found.list[i]))
				continue;
			cycles++;
			for (uint64_t k = 0; k < 10; k++) {
				struct model_result result = run(&program.program, parts, n, k);

				once |= result.end == MODEL_DEADLOCK;
				created += result.end == MODEL_DEADLOCK;
				model_release(&result);
			}
			within += once;
			by_random += count_deadlocks(&program.program, NULL, 0, 10);
		}
	}
	cr_log_info("%zu cycles; within ten runs %zu; of %zu runs: random %zu, deadlock %zu", cycles, within,
		    10 * cycles, by_random, created);
	cr_expect_gt(cycles, 100);
	cr_expect_gt(100 * within, 97 * cycles);
}
