/*
 * theorem_test.c - every sampler reaches every order (for RAPOS: theorem 1 of its paper, ASE 2007). All schedules of
 * small random programs are executed, and then each sampler runs until it has had each partial order of them. Threads
 * yield, sleep, try locks and wait with timeouts.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "tests/policy/generate_small.h"
#include "tests/policy/schedules.h"

#include "policy/registry.h"

TestSuite(theorem, .timeout = 3000);

#define MAX_YIELDS 2
#define MAX_SCHEDULES 2000

/*
 * Programs with an order that a uniform choice at each step has in less than one run of RAREST are left out. The
 * samplers have the rarest orders of the others in more than one run of 100,000, as the printed numbers show. One of
 * that probability is missed in MOST_RUNS runs with probability exp(-20), which is 2e-9, and there are 6,500 of them
 * for each sampler.
 */
#define RAREST 200
#define MOST_RUNS 2000000

/* How many programs each sampler has: all, and in the short check. They are shared by PARTS tests, which Criterion runs
 * at the same time. All schedules of a program are executed once for all samplers, because this takes most of the time.
 */
#define PROGRAMS 2000
#define SHORT_PROGRAMS 56
#define PARTS 8

struct sampler {
	const char *name, *options;
	bool created; /* only programs whose threads are created, so that each has a first operation of its own */
};

/* What a sampler has done in one part. */
struct reached {
	size_t programs, orders;
	uint64_t runs, most; /* most: for one program */
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
	{"pct", "depth=20,steps=24", true},
	{"delay", "bound=20,early=1,order=3", true},
};
#define SAMPLERS (sizeof(samplers) / sizeof(*samplers))

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

/* Makes the program of this seed. */
static void make(struct small_program *p, uint64_t seed)
{
	generate_small(p, seed, MAX_YIELDS);
	/* no policy can know that the next operation of another thread will be the last one of the process */
	for (size_t i = 0; i < SMALL_BODIES * SMALL_OPS; i++)
		if (p->ops[i / SMALL_OPS][i % SMALL_OPS].code == M_ERROR)
			p->ops[i / SMALL_OPS][i % SMALL_OPS] = (struct model_op){M_SET, .reg = 0};
}

/* All schedules of the program. False, with nothing to release: they are too many, or one is too rare. */
static bool enumerate(const struct small_program *p, struct schedule_classes *all)
{
	double rarest = 1;

	if (schedules_all(&p->program, MAX_SCHEDULES, all)) {
		for (size_t i = 0; i < all->n; i++)
			rarest = all->list[i].probability < rarest ? all->list[i].probability : rarest;
		if (all->n > 1 && rarest >= 1.0 / RAREST)
			return true;
	}
	schedules_release(all);
	return false;
}

static bool wants(const struct sampler *sampler, const struct reached *reached, const struct small_program *p,
		  size_t programs)
{
	return reached->programs < programs && (!sampler->created || p->program.n_started == 1);
}

static void sample(const struct sampler *sampler, const struct small_program *p, const struct schedule_classes *all,
		   uint64_t seed, struct reached *reached)
{
	uint64_t runs;
	const size_t left = unreached(sampler, p, all, seed, &runs);

	cr_expect_eq(left, 0u, "%s, program %lu: %zu of %zu orders never came in %lu runs", sampler->name, seed, left,
		     all->n, runs);
	reached->programs++;
	reached->orders += all->n;
	reached->runs += runs;
	reached->most = runs > reached->most ? runs : reached->most;
}

ParameterizedTestParameters(theorem, each_sampler_reaches_every_order)
{
	static size_t parts[PARTS];

	for (size_t i = 0; i < PARTS; i++)
		parts[i] = i;
	return cr_make_param_array(size_t, parts, PARTS);
}

ParameterizedTest(size_t *part, theorem, each_sampler_reaches_every_order)
{
	const size_t programs = (getenv("RFSUP_CHECK_FULL") ? PROGRAMS : SHORT_PROGRAMS) / PARTS;
	struct reached reached[SAMPLERS] = {0};
	bool any;
	uint64_t seed = 1 + *part;

	do {
		static struct small_program p;
		struct schedule_classes all;
		bool wanted = false;

		make(&p, seed);
		any = false;
		for (size_t i = 0; i < SAMPLERS; i++) {
			any |= reached[i].programs < programs;
			wanted |= wants(&samplers[i], &reached[i], &p, programs);
		}
		if (wanted && enumerate(&p, &all)) {
			for (size_t i = 0; i < SAMPLERS; i++)
				if (wants(&samplers[i], &reached[i], &p, programs))
					sample(&samplers[i], &p, &all, seed, &reached[i]);
			schedules_release(&all);
		}
		seed += PARTS;
	} while (any);
	for (size_t i = 0; i < SAMPLERS; i++)
		cr_log_info("part %zu, %s: %zu programs, %zu orders, %lu runs, at most %lu for one program", *part,
			    samplers[i].name, reached[i].programs, reached[i].orders, reached[i].runs, reached[i].most);
}
