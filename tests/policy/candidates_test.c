#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"

#include "policy/policy.h"

TestSuite(candidates, .timeout = 20);

enum {
	E = RFS_THREAD_ENABLED,
	T = RFS_THREAD_CAN_TIME_OUT,
	Y = RFS_THREAD_YIELDED,
	S = RFS_THREAD_SLEEPS,
	R = RFS_THREAD_READY,
	W = RFS_THREAD_WOKEN,
};

Test(candidates, threads_come_in_classes)
{
	static const struct {
		unsigned flags;
		enum rfs_candidate_class class;
	} table[] = {
		{0, RFS_CANDIDATE_NONE},	 {Y, RFS_CANDIDATE_NONE},	   {E, RFS_CANDIDATE_AWAKE},
		{E | Y, RFS_CANDIDATE_YIELDED},	 {E | S, RFS_CANDIDATE_SLEEPING},  {T, RFS_CANDIDATE_SLEEPING},
		{E | T, RFS_CANDIDATE_SLEEPING}, {E | T | R, RFS_CANDIDATE_AWAKE}, {T | R, RFS_CANDIDATE_AWAKE},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct rfs_thread_view thread = {.flags = table[i].flags};

		cr_expect_eq(rfs_candidate_class(&thread), table[i].class, "%#x", table[i].flags);
	}
}

/* Each row has up to four threads, and how often each must be a candidate in 8,000 collections. */
Test(candidates, collect_keeps_the_priorities)
{
	enum { NEVER, ALWAYS, EIGHTH, SEVEN_EIGHTHS };
	static const struct {
		unsigned flags[4];
		int share[4];
	} table[] = {
		{{E, 0, E, 0}, {ALWAYS, NEVER, ALWAYS, NEVER}},
		{{E, E | Y, 0, 0}, {ALWAYS, NEVER, NEVER, NEVER}},
		{{E, E | S, T, E | Y}, {ALWAYS, EIGHTH, EIGHTH, NEVER}},
		{{0, E | Y, E | Y, 0}, {NEVER, ALWAYS, ALWAYS, NEVER}},
		{{0, E | Y, E | S, 0}, {NEVER, SEVEN_EIGHTHS, EIGHTH, NEVER}}, /* always exactly one of the two */
		{{0, E | S, 0, 0}, {NEVER, ALWAYS, NEVER, NEVER}},
	};
	const int rounds = 8000, tolerance = 5 * 30; /* five times sqrt(8000 * 1/8 * 7/8) */
	struct rfs_candidates list = {0};
	struct rfs_rng rng;

	rfs_rng_init(&rng, 1);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rfs_thread_view threads[4];
		const struct rfs_view view = {.n_threads = 4, .threads = threads};
		int seen[4] = {0};

		for (int t = 0; t < 4; t++)
			threads[t] = (struct rfs_thread_view){.thread = t, .flags = table[i].flags[t]};
		for (int round = 0; round < rounds; round++) {
			rfs_candidates_collect(&list, &view, &rng);
			cr_assert_gt(list.n, 0);
			for (size_t c = 0; c < list.n; c++)
				seen[list.threads[c]->thread]++;
		}
		for (int t = 0; t < 4; t++) {
			static const int eighths[] = {[NEVER] = 0, [ALWAYS] = 8, [EIGHTH] = 1, [SEVEN_EIGHTHS] = 7};
			int expected = rounds / 8 * eighths[table[i].share[t]];

			if (expected == 0 || expected == rounds)
				cr_expect_eq(seen[t], expected, "row %zu thread %d: %d", i, t, seen[t]);
			else
				cr_expect(abs(seen[t] - expected) < tolerance, "row %zu thread %d: %d", i, t, seen[t]);
		}
	}
	rfs_candidates_release(&list);
}

Test(candidates, timeouts_are_an_outcome)
{
	static const struct {
		unsigned flags;
		int eighths; /* so many eighths of the choices time out */
	} table[] = {{E, 0}, {T, 8}, {E | T, 8}, {E | T | R, 1}};
	struct rfs_candidates list = {0};
	struct rfs_rng rng;

	rfs_rng_init(&rng, 1);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct rfs_thread_view thread = {.thread = 3, .flags = table[i].flags};
		const struct rfs_view view = {.n_threads = 1, .threads = &thread};
		int timed_out = 0;

		for (int round = 0; round < 8000; round++) {
			struct rfs_choice choice = {.thread = -1, .waiter = -1};

			rfs_candidates_choose(&list, &view, &thread, &rng, &choice);
			cr_assert_eq(choice.thread, 3);
			timed_out += choice.outcome == RFS_OUTCOME_TIMED_OUT;
		}
		cr_expect(abs(timed_out - 1000 * table[i].eighths) <= (table[i].eighths == 1 ? 150 : 0), "%zu: %d", i,
			  timed_out);
	}
}

/*
 * Thread 0 signals object 100. Only threads 1, 2 and 3 are asleep on it, not yet signalled, so only they may be woken.
 */
Test(candidates, a_signal_takes_any_thread_that_waits_for_it)
{
	static const struct {
		enum rfs_op_kind wake, asleep;
	} kinds[] = {{RFS_OP_COND_SIGNAL, RFS_OP_COND_WAKE}, {RFS_OP_FUTEX_WAKE, RFS_OP_FUTEX_SLEEP}};
	struct rfs_candidates list = {0};
	struct rfs_rng rng;

	rfs_rng_init(&rng, 1);
	for (size_t k = 0; k < 2; k++) {
		const enum rfs_op_kind asleep = kinds[k].asleep;
		const struct rfs_thread_view threads[] = {
			{.thread = 0, .flags = E, .next = {.kind = kinds[k].wake, .object = 100}},
			{.thread = 1, .next = {.kind = asleep, .object = 100}},
			{.thread = 2, .next = {.kind = asleep, .object = 100}},
			{.thread = 3, .flags = T, .next = {.kind = asleep, .object = 100}},
			{.thread = 4, .flags = E, .next = {.kind = asleep, .object = 100}}, /* already signalled */
			{.thread = 5,
			 .flags = W,
			 .next = {.kind = asleep, .object = 100}}, /* already signalled; waits for the mutex */
			{.thread = 6, .next = {.kind = asleep, .object = 200}},
			{.thread = 7, .flags = E, .next = {.kind = RFS_OP_LOCK, .object = 100}},
		};
		const struct rfs_view view = {.n_threads = 8, .threads = threads};
		int seen[8] = {0};

		for (int round = 0; round < 9000; round++) {
			struct rfs_choice choice = {.thread = -1, .waiter = -1};

			rfs_candidates_choose(&list, &view, &threads[0], &rng, &choice);
			cr_assert(choice.waiter >= 0 && choice.waiter < 8);
			seen[choice.waiter]++;
		}
		for (int t = 1; t <= 3; t++)
			cr_expect(abs(seen[t] - 3000) < 5 * 45, "%d: %d", t,
				  seen[t]); /* 5 sigma; sigma is sqrt(9000 * 1/3 * 2/3) = 44.7 */
		cr_expect_eq(seen[1] + seen[2] + seen[3], 9000);
	}
}

Test(candidates, a_signal_nobody_waits_for_takes_nobody)
{
	const struct rfs_thread_view thread = {.flags = E, .next = {.kind = RFS_OP_COND_SIGNAL, .object = 100}};
	const struct rfs_view view = {.n_threads = 1, .threads = &thread};
	struct rfs_choice choice = {.thread = -1, .waiter = -1};
	struct rfs_candidates list = {0};
	struct rfs_rng rng;

	rfs_rng_init(&rng, 1);
	rfs_candidates_choose(&list, &view, &thread, &rng, &choice);
	cr_expect_eq(choice.waiter, -1);
}

/*
 * Thread 0 yields or sleeps again and again while thread 1 is awake. Returns how often it was the only candidate right
 * after, of `rounds` times.
 */
static unsigned goes_on(unsigned flags, uint64_t seed, int rounds)
{
	struct rfs_thread_view threads[] = {{.thread = 0, .flags = E}, {.thread = 1, .flags = E}};
	const struct rfs_view view = {.n_threads = 2, .threads = threads};
	struct rfs_candidates list = {0};
	struct rfs_rng rng;
	unsigned n = 0;

	rfs_rng_init(&rng, seed);
	for (int i = 0; i < rounds; i++) {
		struct rfs_choice choice = {.thread = -1, .waiter = -1};

		rfs_candidates_choose(&list, &view, &threads[0], &rng, &choice);
		threads[0].flags = flags;
		rfs_candidates_collect(&list, &view, &rng);
		cr_assert_gt(list.n, 0);
		if (rfs_candidates_goes_on(&list, 0)) {
			cr_assert(list.n == 1 && list.threads[0] == &threads[0]);
			n++;
		}
		threads[0].flags = E;
	}
	rfs_candidates_release(&list);
	return n;
}

/* In one run of four nearly each time, but then only 64 times; in all other runs, and after that, once in 16 times. */
Test(candidates, a_yield_or_sleep_may_return_at_once)
{
	static const unsigned flags[] = {E | Y, E | S, T};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		int ten_in_a_row = 0;
		unsigned seldom = 0, most = 0, runs = 4000;

		for (uint64_t seed = 1; seed <= runs; seed++) {
			unsigned ten = goes_on(flags[i], seed, 10), many = goes_on(flags[i], seed, 1600);

			ten_in_a_row += ten == 10;
			seldom += ten <= 4;
			most = many > most ? many : most;
			cr_expect_gt(many, 50, "seed %lu", seed);
		}
		/* a quarter of (7/8)^10, which is 0.066; sigma is 16 */
		cr_expect(abs(ten_in_a_row - 263) < 5 * 16, "row %zu: %d", i, ten_in_a_row);
		cr_expect_gt(seldom, runs * 7 / 10, "row %zu: %u", i, seldom);
		/* 64 and a sixteenth of the other 1527 are 159; sigma is 9.5 */
		cr_expect_lt(most, 159 + 6 * 10, "row %zu: %u", i, most);
	}
}

/* A thread that goes on is the only candidate until it cannot run or a draw ends that. */
Test(candidates, a_thread_goes_on_for_a_while)
{
	struct rfs_thread_view threads[] = {
		{.thread = 0, .flags = E}, {.thread = 1, .flags = E}, {.thread = 2, .flags = E}};
	const struct rfs_view view = {.n_threads = 3, .threads = threads};
	unsigned n = 0, steps = 0;

	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct rfs_choice choice = {.thread = -1, .waiter = -1};
		struct rfs_candidates list = {0};
		struct rfs_rng rng;

		rfs_rng_init(&rng, seed);
		rfs_candidates_choose(&list, &view, &threads[0], &rng, &choice);
		threads[0].flags = E | Y;
		rfs_candidates_collect(&list, &view, &rng);
		threads[0].flags = E;
		n += rfs_candidates_goes_on(&list, 0);
		while (rfs_candidates_goes_on(&list, 0)) {
			steps++;
			if (steps % 3 == 0) {
				threads[0].flags = 0;
				rfs_candidates_collect(&list, &view, &rng);
				threads[0].flags = E;
				cr_expect_eq(list.n, 2u);
				cr_expect_not(rfs_candidates_goes_on(&list, 0));
			} else {
				rfs_candidates_collect(&list, &view, &rng);
			}
		}
		rfs_candidates_release(&list);
	}
	cr_expect_gt(n, 2000 / 5);
	cr_expect_gt(steps, 2 * n);
}
