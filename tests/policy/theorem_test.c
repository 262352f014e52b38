/*
 * theorem_test.c - every sampler reaches every order (for RAPOS: theorem 1 of its paper, ASE 2007). All schedules of
 * small random programs are executed, and then each sampler runs until it has had each partial order of them. Threads
 * yield, sleep, try locks and wait with timeouts.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/policy/generate_small.h"
#include "tests/policy/schedules.h"

TestSuite(theorem, .timeout = 3000);

#define MAX_YIELDS 2
#define MAX_SCHEDULES 2000

/*
 * Programs with an order that a uniform choice at each step has in less than one run of RAREST are left out. The
 * samplers have the rarest orders of the others in more than one run of 10,000, as the printed numbers show. One of
 * that probability is missed in MOST_RUNS runs with probability exp(-20), which is 2e-9, and there are 6,000 of them
 * for each sampler.
 */
#define RAREST 200
#define MOST_RUNS 200000

/* Of the 2,000 programs, the short check takes every twentieth. */
#define PROGRAMS 2000
#define SHORT_STEP 20

struct sampler {
	const char *name, *options;
	bool created; /* only programs whose threads are created, so that each has a first operation of its own */
};

/*
 * With their default options, pct has three changes of priorities and delay at most three delays of a thread, so an
 * order that needs more is out of reach: that is what these two are made for. With more of them, nothing is. sweep
 * draws at random when it has executed all schedules with few preemptions. racefuzzer has no pair here: its random
 * part.
 */
static const struct sampler samplers[] = {
	{"random", NULL, false},
	{"rapos", NULL, false},
	{"pos", NULL, false},
	{"surw", NULL, false},
	{"drfinder", NULL, false},
	{"atom", NULL, false},
	{"rff", NULL, false},
	{"sweep", NULL, false},
	{"racefuzzer", NULL, false},
	{"pct", "depth=12,steps=24", true},
	{"delay", "bound=20,early=1,order=3", true},
};

/* How many of the orders the sampler has not reached. *runs: how many runs it needed. */
static size_t unreached(const struct sampler *sampler, const struct small_program *p,
			const struct schedule_classes *all, uint64_t seed, uint64_t *runs)
{
	const struct rfs_policy_ops *policy = rfs_policy_find(sampler->name);
	struct schedule_classes classes = {0};
	struct rfs_blob blob = {0};
	bool *seen = calloc(all->n, sizeof(*seen));
	size_t left = all->n;

	cr_assert_not_null(seen);
	schedules_copy(all, &classes);
	for (*runs = 0; left && *runs < MOST_RUNS; ++*runs) {
		struct rfs_blob saved = {0};
		size_t index = schedules_sample(&p->program, policy,
						&(struct rfs_policy_args){.seed = seed + *runs,
									  .options = sampler->options,
									  .blob = blob.data ? &blob : NULL},
						&saved, &classes);

		cr_assert_lt(index, all->n, "%s, program %lu, seed %lu: an order that does not exist", sampler->name,
			     seed, seed + *runs);
		left -= !seen[index];
		seen[index] = true;
		free(blob.data);
		blob = saved;
	}
	free(blob.data);
	free(seen);
	schedules_release(&classes);
	return left;
}

/* The program of this seed and its schedules. False, with nothing to release: they are too many, or one is too rare. */
static bool build(struct small_program *p, uint64_t seed, struct schedule_classes *all)
{
	double rarest = 1;

	generate_small(p, seed, MAX_YIELDS);
	/* no policy can know that the next operation of another thread will be the last one of the process */
	for (size_t i = 0; i < SMALL_BODIES * SMALL_OPS; i++)
		if (p->ops[i / SMALL_OPS][i % SMALL_OPS].code == M_ERROR)
			p->ops[i / SMALL_OPS][i % SMALL_OPS] = (struct model_op){M_SET, .reg = 0};
	if (schedules_all(&p->program, MAX_SCHEDULES, all)) {
		for (size_t i = 0; i < all->n; i++)
			rarest = all->list[i].probability < rarest ? all->list[i].probability : rarest;
		if (all->n > 1 && rarest >= 1.0 / RAREST)
			return true;
	}
	schedules_release(all);
	return false;
}

static void reach_all(size_t which)
{
	const struct sampler *sampler = &samplers[which];
	const uint64_t step = getenv("RFSUP_CHECK_FULL") ? 1 : SHORT_STEP;
	uint64_t most = 0, total = 0;
	size_t programs = 0, orders = 0;

	for (uint64_t seed = 1; programs < PROGRAMS / step; seed++) {
		static struct small_program p;
		struct schedule_classes all;
		uint64_t runs;
		size_t left;

		if (!build(&p, seed, &all))
			continue;
		if (!sampler->created || p.program.n_started == 1) {
			left = unreached(sampler, &p, &all, seed, &runs);
			cr_expect_eq(left, 0u, "%s, program %lu: %zu of %zu orders never came in %lu runs",
				     sampler->name, seed, left, all.n, runs);
			most = runs > most ? runs : most;
			total += runs;
			orders += all.n;
			programs++;
		}
		schedules_release(&all);
	}
	cr_log_info("%s: %zu programs, %zu orders, %lu runs, at most %lu for one program", sampler->name, programs,
		    orders, total, most);
}

Test(theorem, random_reaches_every_order)
{
	reach_all(0);
}

Test(theorem, rapos_reaches_every_order)
{
	reach_all(1);
}

Test(theorem, pos_reaches_every_order)
{
	reach_all(2);
}

Test(theorem, surw_reaches_every_order)
{
	reach_all(3);
}

Test(theorem, drfinder_reaches_every_order)
{
	reach_all(4);
}

Test(theorem, atom_reaches_every_order)
{
	reach_all(5);
}

Test(theorem, rff_reaches_every_order)
{
	reach_all(6);
}

Test(theorem, sweep_reaches_every_order)
{
	reach_all(7);
}

Test(theorem, racefuzzer_reaches_every_order)
{
	reach_all(8);
}

Test(theorem, deep_pct_reaches_every_order)
{
	reach_all(9);
}

Test(theorem, delay_without_bound_reaches_every_order)
{
	reach_all(10);
}
