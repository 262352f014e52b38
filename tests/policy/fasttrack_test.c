#include <criterion/criterion.h>
#include <string.h>

#include "policy/core/rng.h"
#include "tests/policy/events.h"
#include "tests/policy/generate.h"
#include "tests/policy/model.h"

#include "policy/registry.h"

TestSuite(fasttrack, .timeout = 120);

enum { R = RFS_ACCESS_READ, W = RFS_ACCESS_WRITE, A = RFS_ACCESS_ATOMIC, M = RFS_ACCESS_ALIGNED_MOVE };

#define MAX_EVENTS 12

static void detect(const struct rfs_event *events, size_t n, struct pairs *out)
{
	pairs_detect(rfs_detector_find("fasttrack"), events, n, out);
}

/* `race`: whether the pair of sites 1 and 2 is reported. No other pair may be. */
Test(fasttrack, what_races_and_what_does_not)
{
	const struct {
		const char *what;
		bool race;
		struct rfs_event events[MAX_EVENTS];
	} table[] = {
		{"write and read", true, {ACCESS(0, W, 64, 8, 1), ACCESS(1, R, 64, 8, 2)}},
		{"read and write", true, {ACCESS(0, R, 64, 8, 1), ACCESS(1, W, 64, 8, 2)}},
		{"two reads", false, {ACCESS(0, R, 64, 8, 1), ACCESS(1, R, 64, 8, 2)}},
		{"one thread", false, {ACCESS(0, W, 64, 8, 1), ACCESS(0, W, 64, 8, 2)}},
		{"neighbours in a granule", false, {ACCESS(0, W, 64, 4, 1), ACCESS(1, W, 68, 4, 2)}},
		{"one byte of eight", true, {ACCESS(0, W, 64, 8, 1), ACCESS(1, R, 71, 1, 2)}},
		{"across pages", true, {ACCESS(0, W, 4094, 4, 1), ACCESS(1, R, 4097, 1, 2)}},
		{"a whole page, and a byte of it", true, {ACCESS(0, W, 8192, 4096, 1), ACCESS(1, R, 9000, 1, 2)}},
		{"a byte, and the whole page", true, {ACCESS(0, W, 9000, 1, 1), ACCESS(1, R, 8192, 4096, 2)}},
		{"beside a whole page", false, {ACCESS(0, W, 8192, 4096, 1), ACCESS(1, R, 12288, 1, 2)}},
		{"accident of a lock's order",
		 false,
		 {ACCESS(0, W, 64, 8, 1), LOCK(0, 800), UNLOCK(0, 800), LOCK(1, 800), UNLOCK(1, 800),
		  ACCESS(1, W, 64, 8, 2)}},
		{"the other order of the lock",
		 true,
		 {LOCK(1, 800), UNLOCK(1, 800), ACCESS(0, W, 64, 8, 1), LOCK(0, 800), UNLOCK(0, 800),
		  ACCESS(1, W, 64, 8, 2)}},
		{"two locks",
		 true,
		 {LOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), LOCK(1, 880), ACCESS(1, W, 64, 8, 2)}},
		{"after the unlock",
		 true,
		 {LOCK(0, 800), UNLOCK(0, 800), ACCESS(0, W, 64, 8, 1), LOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"recursive lock",
		 false,
		 {LOCK(0, 800), LOCK(0, 800), UNLOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), LOCK(1, 800),
		  ACCESS(1, W, 64, 8, 2)}},
		{"unlocked by another thread: its past is told, not the owner's",
		 true,
		 {LOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(1, 800), LOCK(2, 800), ACCESS(2, W, 64, 8, 2)}},
		{"two shared holds",
		 true,
		 {RDLOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), RDLOCK(1, 800), ACCESS(1, R, 64, 8, 2)}},
		{"shared, then exclusive",
		 false,
		 {RDLOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), LOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"exclusive, then shared",
		 false,
		 {LOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), RDLOCK(1, 800), ACCESS(1, R, 64, 8, 2)}},
		{"shared to shared through an exclusive hold",
		 false,
		 {RDLOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), LOCK(2, 800), UNLOCK(2, 800), RDLOCK(1, 800),
		  ACCESS(1, R, 64, 8, 2)}},
		{"lock in memory that was given out again",
		 true,
		 {LOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), RESET(1, 800, 8), LOCK(1, 800),
		  ACCESS(1, W, 64, 8, 2)}},
		{"memory that was given out again",
		 false,
		 {ACCESS(0, W, 64, 8, 1), RESET(1, 64, 8), ACCESS(1, W, 64, 8, 2)}},
		{"half of it given out again",
		 true,
		 {ACCESS(0, W, 64, 16, 1), RESET(1, 64, 8), ACCESS(1, W, 64, 16, 2)}},
		{"held at the thread's end, then another's",
		 false,
		 {LOCK(0, 800), ACCESS(0, W, 64, 8, 1), EXIT(0), LOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"creator before the thread", false, {ACCESS(0, W, 64, 8, 1), THREAD(1, 0), ACCESS(1, W, 64, 8, 2)}},
		{"creator after it", true, {THREAD(1, 0), ACCESS(0, W, 64, 8, 1), ACCESS(1, W, 64, 8, 2)}},
		{"message", false, {ACCESS(0, W, 64, 8, 1), SEND(0, 5), RECEIVE(1, 5), ACCESS(1, W, 64, 8, 2)}},
		{"message that was forgotten",
		 true,
		 {ACCESS(0, W, 64, 8, 1), SEND(0, 5), events_message(RFS_EVENT_FORGET, 0, 5), RECEIVE(1, 5),
		  ACCESS(1, W, 64, 8, 2)}},
		{"sent before the access",
		 true,
		 {SEND(0, 5), ACCESS(0, W, 64, 8, 1), RECEIVE(1, 5), ACCESS(1, W, 64, 8, 2)}},
		{"both atomic", false, {ACCESS(0, R | W | A, 64, 8, 1), ACCESS(1, R | W | A, 64, 8, 2)}},
		{"atomic and plain", true, {ACCESS(0, R | W | A, 64, 8, 1), ACCESS(1, R, 64, 8, 2)}},
		{"published by an atomic flag",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4),
		  ACCESS(1, R, 64, 8, 2)}},
		{"atomic flags at two addresses",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 100, 4, 4),
		  ACCESS(1, R, 64, 8, 2)}},
		{"an atomic read tells nothing",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4),
		  ACCESS(1, R, 64, 8, 2)}},
		/* FastTrack (PLDI 2009), figure 4: two concurrent reads, then a join, then a write */
		{"concurrent reads, then a write after both",
		 false,
		 {ACCESS(0, R, 64, 8, 1), ACCESS(1, R, 64, 8, 2), SEND(1, 5), RECEIVE(0, 5), ACCESS(0, W, 64, 8, 3),
		  ACCESS(0, R, 64, 8, 4)}},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		static struct pairs pairs;

		detect(table[i].events, MAX_EVENTS, &pairs);
		cr_expect_eq(pairs.n, table[i].race, "%s: %zu pairs", table[i].what, pairs.n);
		cr_expect_eq(pairs_have(&pairs, 1, 2), table[i].race, "%s", table[i].what);
	}
}

/*
 * Compilers make plain moves of release stores and acquire loads. At an address that was used atomically, such moves
 * give an order, so only the pair of the moves themselves is reported.
 */
Test(fasttrack, a_plain_move_at_an_atomic_address_orders)
{
	const struct rfs_event events[] = {
		ACCESS(0, R | W | A, 96, 4, 5), ACCESS(0, W, 64, 8, 1),	    ACCESS(0, W | M, 96, 4, 3),
		ACCESS(1, R | M, 96, 4, 4),	ACCESS(1, R | M, 64, 8, 2),
	};
	static struct pairs pairs;

	detect(events, sizeof(events) / sizeof(*events), &pairs);
	cr_expect_eq(pairs.n, (size_t)1);
	cr_expect(pairs_have(&pairs, 3, 4));
}

/* A store ends the release sequence of the store before it; a read-modify-write continues it. */
Test(fasttrack, a_store_replaces_what_an_atomic_word_tells)
{
	static const struct {
		unsigned between;
		size_t pairs;
	} table[] = {{W | A, 1}, {R | W | A, 0}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct rfs_event events[] = {
			ACCESS(0, W, 64, 8, 1),	    ACCESS(0, W | A, 96, 4, 3), ACCESS(2, table[i].between, 96, 4, 4),
			ACCESS(1, R | A, 96, 4, 5), ACCESS(1, W, 64, 8, 2),
		};
		static struct pairs pairs;

		detect(events, sizeof(events) / sizeof(*events), &pairs);
		cr_expect_eq(pairs.n, table[i].pairs, "case %zu: %zu pairs", i, pairs.n);
	}
}

/* The guard of a C++ static local. If inline code reads the guard as set, it receives what the setter sent. */
Test(fasttrack, a_plain_read_of_a_word_sent_with_a_message_receives_it)
{
	static const struct {
		rfs_addr reads;
		size_t pairs;
	} table[] = {{96, 0}, {104, 1}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rfs_event set = SEND(0, 5);
		static struct pairs pairs;

		set.op.object = 96;
		set.op.size = 1;
		detect((struct rfs_event[]){ACCESS(0, W, 64, 8, 1), set, ACCESS(1, R | M, table[i].reads, 1, 3),
					    ACCESS(1, R, 64, 8, 2)},
		       4, &pairs);
		cr_expect_eq(pairs.n, table[i].pairs, "%zu pairs", pairs.n);
	}
}

/* A write after concurrent reads of 40 threads makes a pair with each of them. */
Test(fasttrack, a_write_races_with_all_concurrent_reads)
{
	static struct pairs pairs;
	struct rfs_event events[41];

	for (int t = 0; t < 40; t++)
		events[t] = ACCESS(t + 1, R, 64, 8, (rfs_site)t + 1);
	events[40] = ACCESS(0, W, 64, 8, 100);
	detect(events, 41, &pairs);
	cr_expect_eq(pairs.n, (size_t)40);
}

/* ---- comparison with brute force ---- */

#define STREAM 160
#define THREADS 5
#define LOCKS 3
#define WORDS 6

/* Random events that use locks correctly. Sites are 1 to n_sites. If n_sites is 0, each event has another site. */
static size_t generate_events(uint64_t seed, size_t n_sites, struct rfs_event *events, bool *exclusive)
{
	int owner[LOCKS], readers[LOCKS][THREADS] = {{0}};
	struct rfs_rng rng;

	rfs_rng_init(&rng, seed);
	for (size_t l = 0; l < LOCKS; l++)
		owner[l] = -1;
	for (size_t i = 0; i < STREAM;) {
		int t = (int)rfs_rng_below(&rng, THREADS);
		uint64_t lock = rfs_rng_below(&rng, LOCKS);
		rfs_addr where = 64 + rfs_rng_below(&rng, UINT64_C(8) * WORDS);
		uint64_t size = UINT64_C(1) << rfs_rng_below(&rng, 4);
		rfs_site site = 1 + (n_sites ? rfs_rng_below(&rng, n_sites) : i);
		static const unsigned kinds[] = {R, R, R, W, W, R | W | A, R | A, W | A};
		int any_reader = 0;

		exclusive[i] = false;
		for (int r = 0; r < THREADS; r++)
			any_reader += readers[lock][r];
		switch (rfs_rng_below(&rng, 16)) {
		case 0:
		case 1: /* lock, or unlock if this thread holds it */
			if (owner[lock] == t) {
				events[i] = UNLOCK(t, 1000 + lock * 64);
				exclusive[i++] = true;
				owner[lock] = -1;
			} else if (owner[lock] < 0 && !any_reader) {
				events[i] = LOCK(t, 1000 + lock * 64);
				exclusive[i++] = true;
				owner[lock] = t;
			}
			break;
		case 2:
			if (readers[lock][t]) {
				events[i++] = UNLOCK(t, 1000 + lock * 64);
				readers[lock][t] = 0;
			} else if (owner[lock] < 0) {
				events[i++] = RDLOCK(t, 1000 + lock * 64);
				readers[lock][t] = 1;
			}
			break;
		case 3:
			events[i++] = SEND(t, rfs_rng_below(&rng, 4));
			break;
		case 4:
			events[i++] = RECEIVE(t, rfs_rng_below(&rng, 4));
			break;
		case 5:
			if (rfs_rng_chance(&rng, 1, 4))
				events[i++] = RESET(t, where, 8);
			break;
		default:
			events[i++] = ACCESS(t, kinds[rfs_rng_below(&rng, sizeof(kinds) / sizeof(*kinds))], where, size,
					     site);
		}
	}
	return STREAM;
}

static bool covers(const struct rfs_event *reset, rfs_addr byte)
{
	return reset->kind == RFS_EVENT_RESET && byte - reset->op.object < reset->op.size;
}

static bool reset_between(const struct rfs_event *events, size_t i, size_t j, rfs_addr byte)
{
	for (size_t k = i + 1; k < j; k++) {
		if (covers(&events[k], byte))
			return true;
	}
	return false;
}

/* Whether an atomic store to the same address came between two events. */
static bool store_between(const struct rfs_event *events, size_t i, size_t j)
{
	for (size_t k = i + 1; k < j; k++) {
		if (events[k].kind == RFS_EVENT_ACCESS && (events[k].op.access & (R | W | A)) == (W | A) &&
		    events[k].op.object == events[i].op.object)
			return true;
	}
	return false;
}

/* Whether happens-before has an edge from event i to the later event j. */
static bool edge(const struct rfs_event *events, const bool *exclusive, size_t i, size_t j)
{
	const struct rfs_event *a = &events[i], *b = &events[j];

	if (a->thread == b->thread)
		return true;
	if (a->kind == RFS_EVENT_SEND && b->kind == RFS_EVENT_RECEIVE)
		return a->message == b->message;
	if (a->kind == RFS_EVENT_RELEASE && b->kind == RFS_EVENT_ACQUIRE)
		return a->op.object == b->op.object && (exclusive[i] || exclusive[j]);
	if (a->kind == RFS_EVENT_ACCESS && b->kind == RFS_EVENT_ACCESS)
		return (a->op.access & b->op.access & A) && (a->op.access & W) && (b->op.access & R) &&
		       a->op.object == b->op.object && !reset_between(events, i, j, a->op.object) &&
		       !store_between(events, i, j);
	return false;
}

static bool races(const struct rfs_event *events, size_t i, size_t j, bool before)
{
	const struct rfs_event *a = &events[i], *b = &events[j];

	if (a->kind != RFS_EVENT_ACCESS || b->kind != RFS_EVENT_ACCESS || before)
		return false;
	if (!((a->op.access | b->op.access) & W) || (a->op.access & b->op.access & A))
		return false;
	for (rfs_addr byte = a->op.object; byte < a->op.object + a->op.size; byte++) {
		if (byte - b->op.object < b->op.size && !reset_between(events, i, j, byte))
			return true;
	}
	return false;
}

/*
 * Compares the report with the transitive closure of the edges, for all pairs of accesses. Only races may be reported.
 * An access that races with earlier ones must be reported with at least one of them.
 */
static void compare_with_closure(uint64_t seed, size_t n_sites)
{
	static bool before[STREAM][STREAM];
	static struct pairs found, real;
	struct rfs_event events[STREAM];
	bool exclusive[STREAM];
	size_t n = generate_events(seed, n_sites, events, exclusive);

	memset(before, 0, sizeof(before));
	for (size_t j = 0; j < n; j++) {
		for (size_t i = 0; i < j; i++) {
			if (!edge(events, exclusive, i, j))
				continue;
			before[i][j] = true;
			for (size_t k = 0; k < i; k++)
				before[k][j] |= before[k][i];
		}
	}
	detect(events, n, &found);
	real.n = 0;
	for (size_t j = 0; j < n; j++) {
		bool any = false, seen = false;

		for (size_t i = 0; i < j; i++) {
			rfs_site a = events[i].op.site, b = events[j].op.site;

			if (!races(events, i, j, before[i][j]))
				continue;
			any = true;
			seen |= pairs_have(&found, a, b);
			if (!pairs_have(&real, a, b))
				pairs_take(&real, &(struct rfs_race_access){.site = a < b ? a : b},
					   &(struct rfs_race_access){.site = a < b ? b : a});
		}
		cr_assert_eq(seen, any, "seed %lu: access %zu", seed, j);
	}
	for (size_t i = 0; i < found.n; i++)
		cr_assert(pairs_have(&real, found.low[i].site, found.high[i].site), "seed %lu: (%lu, %lu)", seed,
			  found.low[i].site, found.high[i].site);
}

Test(fasttrack, agrees_with_the_transitive_closure_on_random_events)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		compare_with_closure(seed, 0);
		compare_with_closure(seed, 8);
	}
}

/* Hybrid detection must predict every race that fasttrack finds in the same run. */
Test(fasttrack, finds_a_part_of_what_hybrid_predicts)
{
	size_t n_found = 0, n_predicted = 0;

	for (uint64_t seed = 1; seed <= 500; seed++) {
		static struct generated program;
		const struct model_config config = {
			.policy = rfs_policy_find("random"),
			.seed = seed,
			.detectors = {rfs_detector_find("fasttrack"), rfs_detector_find("hybrid")},
		};
		struct model_result result;

		generate_program(&program, seed);
		model_run(&program.program, &config, &result);
		for (size_t i = 0; i < result.n_pairs[0]; i++) {
			bool predicted = false;

			for (size_t j = 0; j < result.n_pairs[1]; j++)
				predicted |= result.pairs[0][i].low == result.pairs[1][j].low &&
					     result.pairs[0][i].high == result.pairs[1][j].high;
			cr_expect(predicted, "seed %lu", seed);
		}
		n_found += result.n_pairs[0];
		n_predicted += result.n_pairs[1];
		model_release(&result);
	}
	cr_expect_gt(n_found, (size_t)0);
	cr_expect_lt(n_found, n_predicted);
}

/* No pair is reported under any schedule: one lock protects x, a semaphore hands y over, and a join orders z. */
Test(fasttrack, silent_on_programs_that_are_ordered)
{
	enum { X = 0, Y = 8, Z = 16 };
	const struct model_op first[] = {
		{M_CREATE, .reg = 0, .value = 1},
		{M_LOCK, .object = 0},
		{M_INC, .object = X},
		{M_UNLOCK, .object = 0},
		{M_WRITE, .object = Y},
		{M_SEM_POST, .object = 2},
		{M_JOIN, .reg = 0},
		{M_WRITE, .object = Z},
	};
	const struct model_op second[] = {
		{M_WRITE, .object = Z},	 {M_LOCK, .object = 0},	    {M_INC, .object = X},
		{M_UNLOCK, .object = 0}, {M_SEM_WAIT, .object = 2}, {M_WRITE, .object = Y},
	};
	const struct model_body bodies[] = {MODEL_BODY(first), MODEL_BODY(second)};
	const struct model_program program = {bodies, 2, 1};

	for (uint64_t seed = 1; seed <= 200; seed++) {
		const struct model_config config = {.policy = rfs_policy_find("random"),
						    .seed = seed,
						    .all_accesses = true,
						    .detectors = {rfs_detector_find("fasttrack")}};
		struct model_result result;

		model_run(&program, &config, &result);
		cr_expect_eq(result.end, MODEL_DONE);
		cr_expect_eq(result.n_pairs[0], (size_t)0);
		model_release(&result);
	}
}

Test(fasttrack, huge_ranges_are_cheap)
{
	const struct rfs_event events[] = {
		ACCESS(0, W, UINT64_C(1) << 32, UINT64_C(1) << 28, 1),
		ACCESS(1, W | RFS_ACCESS_FREE, UINT64_C(1) << 32, UINT64_C(1) << 40, 2),
		ACCESS(1, R, UINT64_MAX - 3, 4, 3),
	};
	static struct pairs pairs;

	detect(events, sizeof(events) / sizeof(*events), &pairs);
	cr_expect_eq(pairs.n, (size_t)1);
	cr_expect(pairs_have(&pairs, 1, 2));
}
