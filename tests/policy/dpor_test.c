/*
 * dpor_test.c - the exploration on the model machine, compared with all schedules of small random programs.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"
#include "policy/samplers/dpor_tree.h"
#include "tests/policy/schedules.h"

TestSuite(dpor, .timeout = 300);

#define BODIES 4
#define OPS 24
#define MAX_RUNS 4000
#define PROGRAMS 500

enum { LOCK_A, LOCK_B, RW_LOCK, CONDITION, SEMAPHORE, BARRIER };

struct random_program {
	struct model_op ops[BODIES][OPS];
	struct model_body bodies[BODIES];
	struct model_program program;
};

struct writer {
	struct model_op *ops;
	size_t n;
	struct rfs_rng *rng;
	bool yielded; /* the second yield, sleep or timeout would make a fair scheduler hold the thread back */
};

static void put(struct writer *w, struct model_op op)
{
	cr_assert_lt(w->n, OPS);
	w->ops[w->n++] = op;
}

static void put_access(struct writer *w)
{
	static const enum model_code codes[] = {M_READ, M_WRITE, M_INC, M_ATOMIC_INC, M_WRITE, M_READ};
	enum model_code code = codes[rfs_rng_below(w->rng, sizeof(codes) / sizeof(*codes))];

	put(w, (struct model_op){code, .object = 8 * rfs_rng_below(w->rng, 3), .reg = 3,
				 .value = (int64_t)rfs_rng_below(w->rng, 3)});
	if (code == M_READ && rfs_rng_chance(w->rng, 1, 3)) {
		put(w, (struct model_op){M_UNLESS, .reg = 3, .value = 1 + (int64_t)rfs_rng_below(w->rng, 2),
					 .target = w->n + 2});
		put(w, (struct model_op){M_ERROR, .value = 1 + (int64_t)rfs_rng_below(w->rng, 3)});
	}
}

static void put_statement(struct writer *w)
{
	uint64_t lock = rfs_rng_below(w->rng, 2);
	bool coin = rfs_rng_chance(w->rng, 1, 2);
	uint64_t which = rfs_rng_below(w->rng, 12);

	if (which == 8 || (!coin && (which == 5 || which == 6))) {
		if (w->yielded)
			which = 11;
		w->yielded = true;
	}
	switch (which) {
	case 0:
		put(w, (struct model_op){M_LOCK, .object = lock});
		put_access(w);
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 1:
		put(w, (struct model_op){M_LOCK, .object = lock});
		put(w, (struct model_op){M_LOCK, .object = 1 - lock});
		put(w, (struct model_op){M_UNLOCK, .object = 1 - lock});
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 2:
		put(w, (struct model_op){coin ? M_RDLOCK : M_WRLOCK, .object = RW_LOCK});
		put_access(w);
		put(w, (struct model_op){M_RWUNLOCK, .object = RW_LOCK});
		break;
	case 3:
		put(w, (struct model_op){coin ? M_SEM_POST : M_SEM_WAIT, .object = SEMAPHORE});
		break;
	case 4:
		put(w, (struct model_op){coin ? M_SIGNAL : M_BROADCAST, .object = CONDITION});
		break;
	case 5:
		put(w, (struct model_op){M_LOCK, .object = LOCK_A});
		put(w, (struct model_op){coin ? M_COND_WAIT : M_COND_TIMEDWAIT, .object = CONDITION, .object2 = LOCK_A,
					 .reg = 1});
		put(w, (struct model_op){M_UNLOCK, .object = LOCK_A});
		break;
	case 6:
		put(w, (struct model_op){coin ? M_TRYLOCK : M_TIMEDLOCK, .object = lock, .reg = 1});
		put(w, (struct model_op){M_UNLESS, .reg = 1, .value = 1, .target = w->n + 3});
		put_access(w);
		put(w, (struct model_op){M_UNLOCK, .object = lock});
		break;
	case 7:
		put(w, (struct model_op){M_BARRIER, .object = BARRIER, .value = 2});
		break;
	case 8:
		put(w, (struct model_op){.code = coin ? M_SLEEP : M_YIELD});
		break;
	default:
		put_access(w);
	}
}

/* Thread 0 creates the others, and joins them in some programs. In some programs all exist from the beginning. */
static void make_program(struct random_program *out, uint64_t seed)
{
	struct rfs_rng rng;
	size_t n;
	bool creates;

	memset(out, 0, sizeof(*out));
	rfs_rng_init(&rng, seed);
	n = 2 + rfs_rng_below(&rng, 2);
	creates = rfs_rng_chance(&rng, 1, 2);
	for (size_t k = 0; k < n; k++) {
		struct writer w = {.ops = out->ops[k], .rng = &rng};
		size_t statements = 1 + rfs_rng_below(&rng, n == 2 ? 4 : 2);

		for (size_t i = 1; k == 0 && creates && i < n; i++)
			put(&w, (struct model_op){M_CREATE, .reg = (int)i, .value = (int64_t)i});
		for (size_t i = 0; i < statements; i++)
			put_statement(&w);
		for (size_t i = 1; k == 0 && creates && i < n && rfs_rng_chance(&rng, 1, 2); i++)
			put(&w, (struct model_op){M_JOIN, .reg = (int)i});
		out->bodies[k] = (struct model_body){out->ops[k], w.n};
	}
	out->program = (struct model_program){out->bodies, n, creates ? 1 : n};
}

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
static bool make_program_and_schedules(struct random_program *p, uint64_t seed, struct schedule_classes *all)
{
	make_program(p, seed);
	if (schedules_all(&p->program, MAX_RUNS, all))
		return true;
	schedules_release(all);
	return false;
}

Test(dpor, unbounded_executes_each_schedule_once)
{
	size_t programs = 0, classes = 0, redundant = 0;

	for (uint64_t seed = 1; programs < PROGRAMS; seed++) {
		static struct random_program p;
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
	cr_log_info("%zu classes, %zu redundant executions", classes, redundant);
}

Test(dpor, bounded_executes_each_schedule_within_the_bound)
{
	size_t programs = 0, classes[4] = {0}, executions[4] = {0};

	for (uint64_t seed = 1; programs < PROGRAMS; seed++) {
		static struct random_program p;
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
		cr_log_info("bound %d: %zu classes, %zu executions", bound, classes[bound], executions[bound]);
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
