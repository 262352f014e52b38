#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/policy/generate.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(drfinder, .timeout = 120);

/*
 * A program in the shape of DrFinder's figure 2 (targets/drfinder_figure2.c). It has two critical sections under lock
 * A, and each order of the two hides one of two races. The race on x shows if second() has A before first(). Under
 * simple random, second() rarely gets that far in time. The race on y shows in the other order. second() acquires A in
 * a function that it calls.
 */
enum { X = 0, Y = 8, S = 16 };
enum { A, B };
enum { X_WRITE = 1, X_READ, Y_READ, Y_WRITE };
enum { CALLED = 77 };

static const struct model_op first[] = {
	{M_WRITE, .object = X, .value = 1, .site = X_WRITE}, {M_LOCK, .object = A},
	{M_WRITE, .object = S, .value = 1, .site = 10},	     {M_UNLOCK, .object = A},
	{M_WRITE, .object = Y, .value = 1, .site = Y_WRITE},
};
static const struct model_op second[] = {
	{M_READ, .object = Y, .site = Y_READ},
	{M_LOCK, .object = B},
	{M_UNLOCK, .object = B},
	{M_LOCK, .object = B},
	{M_UNLOCK, .object = B},
	{M_LOCK, .object = B},
	{M_UNLOCK, .object = B},
	{M_LOCK, .object = A, .function = CALLED},
	{M_WRITE, .object = S, .value = 2, .site = 11, .function = CALLED},
	{M_UNLOCK, .object = A, .function = CALLED},
	{M_READ, .object = X, .site = X_READ},
};
static const struct model_op main_ops[] = {
	{M_CREATE, .reg = 0, .value = 2}, /* second() can be escorted only if it exists when first() requests A */
	{M_CREATE, .reg = 1, .value = 1},
	{M_JOIN, .reg = 0},
	{M_JOIN, .reg = 1},
};
static const struct model_body bodies[] = {MODEL_BODY(main_ops), MODEL_BODY(first), MODEL_BODY(second)};
static const struct model_program figure_2 = {bodies, 3, 1};

enum { SHOWS_X = 1, SHOWS_Y = 2 };

/* Makes one run. *blob holds what the run before saved; it is replaced by what this run saves. */
static unsigned run_figure_2(const char *policy, const char *options, uint64_t seed, struct rfs_blob *blob)
{
	struct rfs_blob saved = {0};
	const struct model_config config = {
		.policy = rfs_policy_find(policy),
		.options = options,
		.seed = seed,
		.blob = blob->data ? blob : NULL,
		.saved = &saved,
		.detectors = {rfs_detector_find("fasttrack")},
	};
	struct model_result result;
	unsigned shows = 0;

	model_run(&figure_2, &config, &result);
	cr_assert_eq(result.end, MODEL_DONE, "%s", result.complaint);
	for (size_t i = 0; i < result.n_pairs[0]; i++) {
		const struct model_pair *pair = &result.pairs[0][i];

		if (pair->low == X_WRITE && pair->high == X_READ)
			shows |= SHOWS_X;
		else if (pair->low == Y_READ && pair->high == Y_WRITE)
			shows |= SHOWS_Y;
		else
			cr_assert_fail("(%lu, %lu) is no race", pair->low, pair->high);
	}
	model_release(&result);
	free(blob->data);
	*blob = saved;
	return shows;
}

/* Counts of 200 seeds. x: the second run shows the race on x. both: all runs together show both races. */
struct shown {
	int x, both;
};

static struct shown sample_figure_2(const char *policy, const char *options, int runs)
{
	struct shown shown = {0};

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct rfs_blob blob = {0};
		unsigned any = 0;

		for (int run = 0; run < runs; run++) {
			unsigned shows = run_figure_2(policy, options, seed * 1000 + (uint64_t)run, &blob);

			shown.x += run == 1 && (shows & SHOWS_X);
			any |= shows;
		}
		shown.both += any == (SHOWS_X | SHOWS_Y);
		free(blob.data);
	}
	return shown;
}

/*
 * The second run must show x for 85 % of the seeds, but under random for at most 25 %. Ten runs must show both races
 * for 95 % of the seeds.
 */
Test(drfinder, shows_the_hidden_race_of_figure_2)
{
	struct shown finder = sample_figure_2("drfinder", NULL, 10), simple = sample_figure_2("random", NULL, 10);

	cr_log_info("x in one run: drfinder %d, random %d of 200; both in 10 runs: %d, %d", finder.x, simple.x,
		    finder.both, simple.both);
	cr_expect_geq(finder.x, 170, "%d of 200", finder.x);
	cr_expect_leq(simple.x, 50, "%d of 200", simple.x);
	cr_expect_geq(finder.both, 190, "%d of 200", finder.both);
	cr_expect_lt(simple.both, finder.both);
}

/*
 * With depth 1, only the function that acquires A counts. drfinder then does not expect second() to acquire A, and is
 * no better than random.
 */
Test(drfinder, depth_is_how_far_up_a_function_counts)
{
	cr_expect_leq(sample_figure_2("drfinder", "depth=1", 2).x, 50);
	cr_expect_geq(sample_figure_2("drfinder", "depth=2", 2).x, 170);
}

Test(drfinder, the_first_run_is_simple_random)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		const struct model_config finder = {.policy = rfs_policy_find("drfinder"), .seed = seed};
		const struct model_config simple = {.policy = rfs_policy_find("random"), .seed = seed};
		struct model_result a, b;

		model_run(&figure_2, &finder, &a);
		model_run(&figure_2, &simple, &b);
		cr_assert_eq(a.n_steps, b.n_steps);
		for (uint64_t i = 0; i < a.n_steps; i++)
			cr_assert_eq(a.steps[i].thread, b.steps[i].thread);
		model_release(&a);
		model_release(&b);
	}
}

/* The relation that a run saves begins with the bytes of the relation before it. */
Test(drfinder, relations_only_grow)
{
	struct rfs_blob blob = {0};
	size_t size = 0;
	unsigned char before[4096];

	for (uint64_t seed = 1; seed <= 10; seed++) {
		run_figure_2("drfinder", NULL, seed, &blob);
		cr_assert_geq(blob.size, size);
		cr_assert_leq(blob.size, sizeof(before));
		cr_expect_eq(memcmp(before, blob.data, size), 0);
		size = blob.size;
		memcpy(before, blob.data, size);
	}
	/* four entries: first() acquires A, second() A and B, and the called function A */
	cr_expect_eq(size, sizeof(uint64_t) * (1 + 2 * 4));
	free(blob.data);
}

Test(drfinder, refuses_what_it_did_not_save_and_options_out_of_range)
{
	const struct rfs_policy_ops *policy = rfs_policy_find("drfinder");
	unsigned char bytes[40] = {1, 2, 3};
	const struct rfs_policy_args table[] = {
		{.blob = &(struct rfs_blob){bytes, 0}},
		{.blob = &(struct rfs_blob){bytes, 7}},
		{.blob = &(struct rfs_blob){bytes, 8}},
		{.blob = &(struct rfs_blob){bytes, 40}},
		{.options = "depth=0"},
		{.options = "depth=65"},
		{.options = "depth=-1"},
		{.options = "width=1"},
	};
	void *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		cr_expect_eq(policy->init(&state, &table[i]), -EINVAL, "%zu", i);
}

/*
 * Two threads nest two locks in opposite orders. drfinder turns the order of two acquisitions round, and so finds the
 * deadlock.
 */
Test(drfinder, finds_the_deadlock_of_two_nested_locks)
{
	const struct model_op one[] = {
		{M_LOCK, .object = A},
		{M_LOCK, .object = B},
		{M_UNLOCK, .object = B},
		{M_UNLOCK, .object = A},
	};
	const struct model_op other[] = {
		{M_LOCK, .object = B},
		{M_LOCK, .object = A},
		{M_UNLOCK, .object = A},
		{M_UNLOCK, .object = B},
	};
	const struct model_body two[] = {MODEL_BODY(one), MODEL_BODY(other)};
	const struct model_program program = {two, 2, 2};
	int deadlocks = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct rfs_blob blob = {0};

		for (uint64_t run = 0; run < 10; run++) {
			struct rfs_blob saved = {0};
			const struct model_config config = {.policy = rfs_policy_find("drfinder"),
							    .seed = seed * 100 + run,
							    .blob = blob.data ? &blob : NULL,
							    .saved = &saved};
			struct model_result result;

			model_run(&program, &config, &result);
			cr_assert(result.end == MODEL_DONE || result.end == MODEL_DEADLOCK, "%s", result.complaint);
			deadlocks += result.end == MODEL_DEADLOCK;
			model_release(&result);
			free(blob.data);
			blob = saved;
		}
		free(blob.data);
	}
	cr_expect_gt(deadlocks, 0);
}

/* For random programs: choices are valid, runs end, and the same seed and relation give the same run. */
Test(drfinder, random_programs_end_and_repeat)
{
	uint64_t thrashings = 0, waits = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		static struct generated program;
		struct rfs_blob blob = {0};

		generate_program(&program, seed);
		for (uint64_t run = 0; run < 5; run++) {
			struct rfs_blob saved = {0}, again = {0};
			struct model_config config = {.policy = rfs_policy_find("drfinder"),
						      .seed = seed + run,
						      .all_accesses = run % 2,
						      .blob = blob.data ? &blob : NULL,
						      .saved = &saved};
			struct model_result a, b;

			model_run(&program.program, &config, &a);
			config.saved = &again;
			model_run(&program.program, &config, &b);
			cr_assert(a.end == MODEL_DONE || a.end == MODEL_DEADLOCK, "seed %lu: %d %s", seed, a.end,
				  a.complaint);
			cr_assert_eq(a.n_steps, b.n_steps);
			cr_assert_eq(memcmp(a.steps, b.steps, a.n_steps * sizeof(*a.steps)), 0);
			cr_assert_eq(saved.size, again.size);
			thrashings += a.stat_thrashings;
			waits += a.stat_postponed;
			model_release(&a);
			model_release(&b);
			free(blob.data);
			free(again.data);
			blob = saved;
		}
		free(blob.data);
	}
	cr_expect_gt(waits, 0u);
	cr_expect_gt(thrashings, 0u);
}

/* ---- locks that are no calls: the run says where one is requested, and when it was acquired ---- */

enum { REQUESTER = 1, HOLDER = 2 };
#define CLASS 0xc1a55u
#define FUNCTION 0xf00u

static bool in_function; /* the holder is in the function that acquires */

static size_t fixed_stack(const struct rfs_view *view, int thread, rfs_addr *out, size_t max)
{
	(void)view;
	cr_assert_geq(max, 2u);
	out[0] = 0x999; /* a helper that takes nothing */
	out[1] = thread == HOLDER && in_function ? FUNCTION : 0x888;
	return 2;
}

static int pick_of(void *state, struct rfs_thread_view threads[2], uint64_t step)
{
	const struct rfs_view view = {.step = step, .n_threads = 2, .threads = threads, .stack = fixed_stack};
	struct rfs_choice choice = {.thread = -1, .waiter = -1, .race = {-1, -1}};

	cr_assert_eq(rfs_policy_find("drfinder")->pick(state, &view, &choice), 0);
	return choice.thread;
}

static void tell(void *state, enum rfs_event_kind kind, int thread, enum rfs_op_kind op)
{
	const struct rfs_event event = {.kind = kind, .thread = thread, .op = {.kind = op, .object = 0x1000}};

	rfs_policy_find("drfinder")->event(state, &event);
}

/* An atomic instruction requests the lock; it fails twice before it acquires. The escort lasts until it has. */
Test(drfinder, an_escort_ends_with_the_acquisition_whatever_the_lock_is)
{
	const struct rfs_policy_ops *policy = rfs_policy_find("drfinder");
	uint64_t saved[] = {UINT64_C(0x316d617964726621), FUNCTION, CLASS};
	const struct rfs_blob blob = {saved, sizeof(saved)};
	const struct rfs_op atomic = {.kind = RFS_OP_ACCESS,
				      .access = RFS_ACCESS_READ | RFS_ACCESS_WRITE | RFS_ACCESS_ATOMIC,
				      .object = 0x1000,
				      .size = 4,
				      .peer = -1};
	int waited = 0, unchecked = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct rfs_thread_view threads[2] = {
			{.thread = REQUESTER, .flags = RFS_THREAD_ENABLED, .next = atomic, .lock_class = CLASS},
			{.thread = HOLDER,
			 .flags = RFS_THREAD_ENABLED,
			 .next = {.kind = RFS_OP_COND_SIGNAL, .peer = -1}},
		};
		uint64_t step = 0;
		void *state;

		in_function = true;
		cr_assert_eq(policy->init(&state, &(struct rfs_policy_args){.seed = seed, .blob = &blob}), 0);
		/*
		 * Whoever is drawn: the holder runs, either by itself or because the requester waits for it. In one run
		 * of 32, the requester is drawn and its request is not checked.
		 */
		if (pick_of(state, threads, step++) != HOLDER) {
			policy->fini(state);
			unchecked++;
			continue;
		}
		tell(state, RFS_EVENT_OP, HOLDER, RFS_OP_COND_SIGNAL);
		threads[1].next = atomic;
		threads[1].lock_class = CLASS;
		if (pick_of(state, threads, step++) == HOLDER) {
			/* each attempt fails */
			for (int i = 0; i < 2; i++) {
				tell(state, RFS_EVENT_OP, HOLDER, RFS_OP_ACCESS);
				cr_assert_eq(pick_of(state, threads, step++), HOLDER, "seed %lu", seed);
			}
			tell(state, RFS_EVENT_ACQUIRE, HOLDER, RFS_OP_LOCK);
			tell(state, RFS_EVENT_OP, HOLDER, RFS_OP_ACCESS);
			/* the requester no longer waits: it is drawn soon */
			in_function = false;
			threads[1].next = (struct rfs_op){.kind = RFS_OP_COND_SIGNAL, .peer = -1};
			threads[1].lock_class = 0;
			for (int i = 0; pick_of(state, threads, step++) == HOLDER; i++) {
				tell(state, RFS_EVENT_OP, HOLDER, RFS_OP_COND_SIGNAL);
				cr_assert_lt(i, 60);
			}
			waited++;
		}
		policy->fini(state);
	}
	cr_expect_geq(waited, 5, "%d", waited);
	cr_expect_leq(unchecked, 3, "%d", unchecked);
}
