/*
 * dpor_test.c - the exploration on the model machine, compared with all schedules of small random programs.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "policy/dpor/dpor_tree.h"
#include "tests/policy/generate_small.h"
#include "tests/policy/schedules.h"

#include "policy/registry.h"

TestSuite(dpor, .timeout = 3000);

#define MAX_RUNS 4000
/* How many programs: all, and in the short check. They are shared by PARTS tests, which Criterion runs at the same
 * time. */
#define PROGRAMS 2000
#define SHORT_PROGRAMS 200
#define PARTS 4
#define MAX_YIELDS 3

/* Explores the program with so many executions at a time. */
static void explore(const struct model_program *program, uint32_t bound, size_t together,
		    struct schedule_classes *found, struct rfs_dpor_counts *counts)
{
	struct rfs_dpor_tree *tree = rfs_dpor_tree_new(bound);
	struct rfs_blob plans[32], saved[32];
	size_t n;

	*found = (struct schedule_classes){0};
	while ((n = rfs_dpor_next(tree, plans, together)) > 0) {
		for (size_t i = 0; i < n; i++)
			(void)schedules_one(program, rfs_policy_find("dpor"), &plans[i], &saved[i], found);
		for (size_t i = 0; i < n; i++) {
			cr_assert_eq(rfs_dpor_add(tree, &saved[i]), 0);
			free(plans[i].data);
			free(saved[i].data);
		}
	}
	cr_assert_eq(rfs_dpor_waiting(tree), 0);
	rfs_dpor_counts(tree, counts);
	rfs_dpor_tree_free(tree);
}

static bool has_class(const struct schedule_classes *classes, const struct schedule_class *wanted)
{
	for (size_t i = 0; i < classes->n; i++)
		if (classes->list[i].n == wanted->n && memcmp(classes->list[i].order, wanted->order, wanted->n) == 0)
			return true;
	return false;
}

static size_t missing(const struct schedule_classes *all, const struct schedule_classes *found, unsigned bound)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += all->list[i].preemptions <= bound && !has_class(found, &all->list[i]);
	return n;
}

/* Makes the program of this seed and enumerates its schedules. False, with nothing to release: they are too many. */
static bool make_program_and_schedules(struct small_program *p, uint64_t seed, struct schedule_classes *all)
{
	generate_small(p, seed, MAX_YIELDS);
	if (schedules_all(&p->program, MAX_RUNS, all))
		return true;
	schedules_release(all);
	return false;
}

static size_t parts[PARTS];

static struct criterion_test_params all_parts(void)
{
	for (size_t i = 0; i < PARTS; i++)
		parts[i] = i;
	return cr_make_param_array(size_t, parts, PARTS);
}

static size_t programs_of_a_part(void)
{
	return (getenv("RFSUP_CHECK_FULL") ? PROGRAMS : SHORT_PROGRAMS) / PARTS;
}

ParameterizedTestParameters(dpor, unbounded_executes_each_schedule_once)
{
	return all_parts();
}

ParameterizedTest(size_t *part, dpor, unbounded_executes_each_schedule_once)
{
	size_t programs = 0, classes = 0, redundant = 0;

	for (uint64_t seed = 1 + *part; programs < programs_of_a_part(); seed += PARTS) {
		static struct small_program p;
		struct schedule_classes all, found;
		struct rfs_dpor_counts counts;

		if (!make_program_and_schedules(&p, seed, &all))
			continue;
		programs++;
		explore(&p.program, RFS_DPOR_UNBOUNDED, 1 + seed % 5 * 4, &found, &counts);
		cr_expect_eq(missing(&all, &found, UINT32_MAX), 0, "seed %zu: %zu of %zu classes missing", (size_t)seed,
			     missing(&all, &found, UINT32_MAX), all.n);
		cr_expect_eq(counts.complete, all.n, "seed %zu: %zu complete, %zu classes, %zu redundant", (size_t)seed,
			     (size_t)counts.complete, all.n, (size_t)counts.redundant);
		cr_expect_eq(counts.strayed, 0, "seed %zu", (size_t)seed);
		classes += all.n;
		redundant += counts.redundant;
		schedules_release(&all);
		schedules_release(&found);
	}
	cr_log_info("part %zu: %zu programs, %zu classes, %zu redundant executions", *part, programs, classes,
		    redundant);
}

ParameterizedTestParameters(dpor, bounded_executes_each_schedule_within_the_bound)
{
	return all_parts();
}

ParameterizedTest(size_t *part, dpor, bounded_executes_each_schedule_within_the_bound)
{
	size_t programs = 0, classes[4] = {0}, executions[4] = {0};

	for (uint64_t seed = 1 + *part; programs < programs_of_a_part(); seed += PARTS) {
		static struct small_program p;
		struct schedule_classes all, found;
		struct rfs_dpor_counts counts;

		if (!make_program_and_schedules(&p, seed, &all))
			continue;
		programs++;
		for (uint32_t bound = 0; bound < 4; bound++) {
			explore(&p.program, bound, 1 + seed % 5 * 4, &found, &counts);
			cr_expect_eq(missing(&all, &found, bound), 0, "seed %zu, bound %u: %zu missing", (size_t)seed,
				     bound, missing(&all, &found, bound));
			if (!counts.bounded)
				cr_expect_eq(missing(&all, &found, UINT32_MAX), 0, "seed %zu, bound %u: all said",
					     (size_t)seed, bound);
			for (size_t i = 0; i < all.n; i++)
				classes[bound] += all.list[i].preemptions <= bound;
			executions[bound] += counts.complete;
			schedules_release(&found);
		}
		schedules_release(&all);
	}
	for (int bound = 0; bound < 4; bound++)
		cr_log_info("part %zu, bound %d: %zu classes, %zu executions", *part, bound, classes[bound],
			    executions[bound]);
}

/*
 * The program of this seed has a schedule with two preemptions in which a reader comes to wait for a writer. If the
 * reader comes later, and need not wait, the same order has three.
 */
#define SEED_OF_A_WAIT 1354

Test(dpor, a_switch_away_from_a_waiting_thread_is_no_preemption)
{
	static struct small_program p;
	struct schedule_classes all, found;
	struct rfs_dpor_counts counts;

	cr_assert(make_program_and_schedules(&p, SEED_OF_A_WAIT, &all));
	explore(&p.program, 2, 1, &found, &counts);
	cr_expect_eq(missing(&all, &found, 2), 0);
	schedules_release(&found);
	schedules_release(&all);
}

/* ---- small programs ---- */

enum { X = 0, FLAG = 8 };

/* A thread polls a flag, with a yield in each round. Without fairness, the exploration would not end. */
static const struct model_op poll_1[] = {
	{M_READ, .object = FLAG}, {M_IF, .value = 1, .target = 4}, {.code = M_YIELD},	  {M_GOTO, .target = 0},
	{M_READ, .object = X},	  {M_IF, .value = 1, .target = 7}, {M_ERROR, .value = 1},
};
static const struct model_op poll_2[] = {{M_WRITE, .object = X, .value = 1}, {M_WRITE, .object = FLAG, .value = 1}};
static const struct model_op poll_wrong[] = {{M_WRITE, .object = FLAG, .value = 1}, {M_WRITE, .object = X, .value = 1}};

static size_t failures(const struct schedule_classes *found)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++)
		n += found->list[i].end != MODEL_DONE;
	return n;
}

static size_t explore_bodies(const struct model_body *bodies, size_t n, struct rfs_dpor_counts *counts)
{
	const struct model_program program = {bodies, n, n};
	struct schedule_classes found;
	size_t failed;

	explore(&program, RFS_DPOR_UNBOUNDED, 4, &found, counts);
	failed = failures(&found);
	schedules_release(&found);
	return failed;
}

Test(dpor, loops_that_wait_are_fair)
{
	static const struct model_body right[] = {MODEL_BODY(poll_1), MODEL_BODY(poll_2)};
	static const struct model_body wrong[] = {MODEL_BODY(poll_1), MODEL_BODY(poll_wrong)};
	static const struct model_body two[] = {MODEL_BODY(poll_1), MODEL_BODY(poll_1), MODEL_BODY(poll_2)};
	struct rfs_dpor_counts counts;

	cr_expect_eq(explore_bodies(right, 2, &counts), 0);
	cr_expect_leq(counts.complete, 10);
	cr_expect_gt(explore_bodies(wrong, 2, &counts), 0);
	cr_expect_eq(explore_bodies(two, 3, &counts), 0);
}

enum { M = 0 };

/* N threads, each with one lock section or one atomic addition. They have N! orders. */
static const struct model_op four[] = {
	{M_CREATE, .reg = 1, .value = 1},
	{M_CREATE, .reg = 2, .value = 1},
	{M_CREATE, .reg = 3, .value = 1},
	{M_CREATE, .reg = 4, .value = 1},
	{M_JOIN, .reg = 1},
	{M_JOIN, .reg = 2},
	{M_JOIN, .reg = 3},
	{M_JOIN, .reg = 4},
};
static const struct model_op section[] = {{M_LOCK, .object = M}, {M_INC, .object = X}, {M_UNLOCK, .object = M}};
static const struct model_op addition[] = {{M_ATOMIC_INC, .object = X}};

Test(dpor, sections_and_additions_have_no_redundant_execution)
{
	static const struct model_body sections[] = {MODEL_BODY(four), MODEL_BODY(section)};
	static const struct model_body additions[] = {MODEL_BODY(four), MODEL_BODY(addition)};
	struct rfs_dpor_counts counts;

	for (int i = 0; i < 2; i++) {
		const struct model_program program = {i ? sections : additions, 2, 1};
		struct schedule_classes found;

		explore(&program, RFS_DPOR_UNBOUNDED, 32, &found, &counts);
		cr_expect_eq(counts.complete, 24);
		cr_expect_eq(counts.redundant, 0, "%d: %d", i, (int)counts.redundant);
		schedules_release(&found);
	}
}

Test(dpor, damaged_input_is_refused)
{
	struct rfs_dpor_tree *tree = rfs_dpor_tree_new(RFS_DPOR_UNBOUNDED);
	char bytes[] = "abc";
	struct rfs_blob plan, bad = {bytes, 3};
	void *state;

	cr_expect_neq(rfs_dpor_add(tree, &bad), 0, "nothing was given");
	cr_assert_eq(rfs_dpor_next(tree, &plan, 1), 1);
	cr_expect_eq(rfs_dpor_next(tree, &plan, 1), 0, "everything was given");
	cr_expect_neq(rfs_dpor_add(tree, &bad), 0);
	cr_expect_neq(rfs_policy_find("dpor")->init(&state, &(struct rfs_policy_args){.blob = &bad}), 0);
	free(plan.data);
	rfs_dpor_tree_free(tree);
}
