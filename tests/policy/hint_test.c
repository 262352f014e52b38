/*
 * hint_test.c - hints of the built-in policies. A caller that follows them gets the same run with fewer calls of pick.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/policy/generate.h"

#include "policy/registry.h"

TestSuite(hints, .timeout = 120);

#define PROGRAMS 400
#define SEEDS 5

struct saved {
	struct model_result result;
	struct rfs_blob blob;
};

static void run(const struct generated *program, struct model_config config, bool hints, struct saved *out)
{
	out->blob = (struct rfs_blob){0};
	config.hints = hints;
	config.saved = &out->blob;
	model_run(&program->program, &config, &out->result);
}

static bool same(const struct saved *a, const struct saved *b)
{
	if (a->result.end != b->result.end || a->result.n_steps != b->result.n_steps || a->blob.size != b->blob.size)
		return false;
	for (uint64_t i = 0; i < a->result.n_steps; i++) {
		const struct model_step *x = &a->result.steps[i], *y = &b->result.steps[i];

		if (x->thread != y->thread || x->outcome != y->outcome || x->waiter != y->waiter ||
		    x->race[0] != y->race[0])
			return false;
	}
	return !a->blob.size || memcmp(a->blob.data, b->blob.data, a->blob.size) == 0;
}

static void release(struct saved *saved)
{
	model_release(&saved->result);
	free(saved->blob.data);
}

/*
 * Runs all programs with and without hints. Returns the share of calls of pick that hints save. alike: the runs must be
 * the same.
 */
static double compare(const char *name, const char *options, bool alike)
{
	uint64_t picks[2] = {0};

	for (uint64_t p = 0; p < PROGRAMS; p++) {
		struct generated program;
		struct model_config config = {
			.policy = rfs_policy_find(name), .options = options, .all_accesses = p % 2, .max_steps = 20000};
		struct saved with[2];

		generate_program(&program, p);
		generate_pair(&program, p, config.pair);
		for (config.seed = 1; config.seed <= SEEDS; config.seed++) {
			for (int hints = 0; hints < 2; hints++) {
				run(&program, config, hints, &with[hints]);
				picks[hints] += with[hints].result.n_picks;
			}
			cr_expect(!alike || same(&with[0], &with[1]),
				  "%s, program %llu, seed %llu: hints change the run", name, (unsigned long long)p,
				  (unsigned long long)config.seed);
			release(&with[0]);
			release(&with[1]);
		}
	}
	return 1 - (double)picks[1] / (double)picks[0];
}

Test(hints, change_nothing_and_save_picks)
{
	cr_expect_gt(compare("random", NULL, true), 0);
	cr_expect_gt(compare("racefuzzer", NULL, true), 0);
	cr_expect_gt(compare("racefuzzer", "patience=10", true), 0);
	cr_expect_gt(compare("pct", "steps=100", true), 0);
	cr_expect_gt(compare("sweep", NULL, true), 0);
	cr_expect_gt(compare("pct", "depth=5,steps=60,patience=15", true), 0);
}

/*
 * One thread takes a lock in a loop, and its turns of 1,000 operations end while it holds the lock. The other one works
 * for nearly as long without a change of threads, and then waits for the lock (starving.h).
 */
static const struct model_op grabs[] = {
	{M_SEM_POST, .object = 1}, {M_TRYLOCK, .object = 0, .reg = 0}, {M_UNLESS, .reg = 0, .value = 1, .target = 4},
	{M_UNLOCK, .object = 0},   {M_READ, .object = 0, .reg = 1},    {M_UNLESS, .reg = 1, .value = 1, .target = 1}};
static const struct model_op works_and_locks[] = {
	{M_SEM_POST, .object = 1}, {M_ADD, .reg = 0, .value = 1},      {M_UNLESS, .reg = 0, .value = 900, .target = 0},
	{M_LOCK, .object = 0},	   {M_WRITE, .object = 0, .value = 1}, {M_UNLOCK, .object = 0}};
static const struct model_body starving[] = {MODEL_BODY(grabs), MODEL_BODY(works_and_locks)};

Test(hints, do_not_change_when_a_thread_starves)
{
	static const char *const names[] = {"sweep", "pct"};
	const struct generated program = {.program = {starving, 2, 2}};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			const struct model_config config = {
				.policy = rfs_policy_find(names[i]), .seed = seed, .max_steps = 30000};
			struct saved with[2];

			run(&program, config, false, &with[0]);
			run(&program, config, true, &with[1]);
			cr_expect_eq(with[0].result.end, MODEL_DONE, "%s", names[i]);
			cr_expect(same(&with[0], &with[1]), "%s, seed %llu: %llu steps, with hints %llu", names[i],
				  (unsigned long long)seed, (unsigned long long)with[0].result.n_steps,
				  (unsigned long long)with[1].result.n_steps);
			release(&with[0]);
			release(&with[1]);
		}
}

/*
 * While there is one thread, these policies are not asked. Some of them draw at each pick, so their runs are
 * different without hints. A real run always follows hints.
 */
Test(hints, cover_what_a_program_does_with_one_thread)
{
	static const char *const names[] = {"delay", "pos", "atom", "surw", "rapos", "schedule"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_expect_gt(compare(names[i], NULL, false), 0, "%s", names[i]);
}

/* A thread stays for ten operations on average, unless it waits or ends before. */
Test(hints, let_a_thread_stay)
{
	static const char *const wrong[] = {"stay=0", "stay=1000001", "stay="};

	cr_expect_gt(compare("random", "stay=10", false), 0.3);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const struct rfs_policy_args args = {.seed = 1, .options = wrong[i]};
		void *state;

		cr_expect_eq(rfs_policy_find("random")->init(&state, &args), -EINVAL, "%s", wrong[i]);
	}
}
