#include <criterion/criterion.h>
#include <string.h>

#include "policy/core/rng.h"
#include "tests/policy/events.h"
#include "tests/policy/generate.h"
#include "tests/policy/model.h"
#include "tests/policy/reference.h"

#include "policy/registry.h"

TestSuite(hybrid, .timeout = 120);

enum { L = RFS_ACCESS_LEARNS, T = RFS_ACCESS_TELLS, K = RFS_ACCESS_TAKES };
enum { R = RFS_ACCESS_READ, W = RFS_ACCESS_WRITE, A = RFS_ACCESS_ATOMIC, F = RFS_ACCESS_FREE, G = RFS_ACCESS_RANGE };

#define MAX_EVENTS 12

/* `race`: whether site 1 is reported in a pair with site 1 or 2, by the detector and by the reference. */
Test(hybrid, what_races_and_what_does_not)
{
	const struct {
		const char *what;
		bool race;
		struct rfs_event events[MAX_EVENTS];
	} table[] = {
		{"write and read", true, {ACCESS(0, W, 64, 8, 1), ACCESS(1, R, 64, 8, 2)}},
		{"two reads", false, {ACCESS(0, R, 64, 8, 1), ACCESS(1, R, 64, 8, 2)}},
		{"one thread", false, {ACCESS(0, W, 64, 8, 1), ACCESS(0, W, 64, 8, 2)}},
		{"one statement", true, {ACCESS(0, W, 64, 8, 1), ACCESS(1, W, 64, 8, 1)}},
		{"neighbours in a granule", false, {ACCESS(0, W, 64, 4, 1), ACCESS(1, W, 68, 4, 2)}},
		{"one byte of eight", true, {ACCESS(0, W, 64, 8, 1), ACCESS(1, R, 71, 1, 2)}},
		{"unaligned, across granules", true, {ACCESS(0, W, 68, 8, 1), ACCESS(1, R, 75, 1, 2)}},
		{"unaligned, beside it", false, {ACCESS(0, W, 68, 8, 1), ACCESS(1, R, 76, 1, 2)}},
		{"across pages", true, {ACCESS(0, W, 4094, 4, 1), ACCESS(1, R, 4097, 1, 2)}},
		{"both atomic", false, {ACCESS(0, R | W | A, 64, 8, 1), ACCESS(1, W | A, 64, 8, 2)}},
		{"atomic and plain", true, {ACCESS(0, R | W | A, 64, 8, 1), ACCESS(1, R, 64, 8, 2)}},
		{"one lock",
		 false,
		 {LOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), LOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"two locks",
		 true,
		 {LOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), LOCK(1, 880), ACCESS(1, W, 64, 8, 2)}},
		{"after the unlock",
		 true,
		 {LOCK(0, 800), UNLOCK(0, 800), ACCESS(0, W, 64, 8, 1), LOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"recursive lock, unlocked once",
		 false,
		 {LOCK(0, 800), LOCK(0, 800), UNLOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), LOCK(1, 800),
		  ACCESS(1, W, 64, 8, 2)}},
		{"unlocked by another thread",
		 true,
		 {LOCK(0, 800), UNLOCK(1, 800), ACCESS(0, W, 64, 8, 1), LOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"two shared holds, one writes",
		 true,
		 {RDLOCK(0, 800), ACCESS(0, W, 64, 8, 1), RDLOCK(1, 800), ACCESS(1, R, 64, 8, 2)}},
		{"shared and exclusive",
		 false,
		 {RDLOCK(0, 800), ACCESS(0, R, 64, 8, 1), UNLOCK(0, 800), LOCK(1, 800), ACCESS(1, W, 64, 8, 2)}},
		{"lock in memory that was given out again",
		 true,
		 {LOCK(0, 800), ACCESS(0, W, 64, 8, 1), UNLOCK(0, 800), RESET(1, 768, 64), LOCK(1, 800),
		  ACCESS(1, W, 64, 8, 2)}},
		{"creator before the thread", false, {ACCESS(0, W, 64, 8, 1), THREAD(1, 0), ACCESS(1, W, 64, 8, 2)}},
		{"creator after it", true, {THREAD(1, 0), ACCESS(0, W, 64, 8, 1), ACCESS(1, W, 64, 8, 2)}},
		{"message", false, {ACCESS(0, W, 64, 8, 1), SEND(0, 5), RECEIVE(1, 5), ACCESS(1, W, 64, 8, 2)}},
		{"sent before the access",
		 true,
		 {SEND(0, 5), ACCESS(0, W, 64, 8, 1), RECEIVE(1, 5), ACCESS(1, W, 64, 8, 2)}},
		{"access between two sends",
		 true,
		 {ACCESS(0, R, 8, 8, 9), SEND(0, 5), ACCESS(0, W, 64, 8, 1), SEND(0, 6), RECEIVE(1, 5),
		  ACCESS(1, W, 64, 8, 2)}},
		{"message through a third",
		 false,
		 {ACCESS(0, W, 64, 8, 1), SEND(0, 5), RECEIVE(2, 5), SEND(2, 6), RECEIVE(1, 6),
		  ACCESS(1, W, 64, 8, 2)}},
		{"two senders of one message",
		 false,
		 {ACCESS(0, W, 64, 8, 1), SEND(0, 5), SEND(2, 5), RECEIVE(1, 5), ACCESS(1, W, 64, 8, 2)}},
		{"lock order does not count",
		 true,
		 {ACCESS(0, W, 64, 8, 1), LOCK(0, 800), UNLOCK(0, 800), LOCK(1, 800), UNLOCK(1, 800),
		  ACCESS(1, W, 64, 8, 2)}},
		{"memory given out again", false, {ACCESS(0, W, 64, 8, 1), RESET(1, 48, 32), ACCESS(1, W, 64, 8, 2)}},
		{"a part of it given out again",
		 true,
		 {ACCESS(0, W, 64, 8, 1), RESET(1, 48, 20), ACCESS(1, W, 64, 8, 2)}},
		{"free of a block in use", true, {ACCESS(0, R, 72, 4, 1), ACCESS(1, F, 64, 4096, 2)}},
		{"use after free", true, {ACCESS(1, F, 64, 100000, 1), ACCESS(0, R, 50000, 4, 2)}},
		{"use after free, near its end", true, {ACCESS(1, F, 64, 1001, 1), ACCESS(0, R, 1064, 1, 2)}},
		{"use behind the block", false, {ACCESS(1, F, 64, 1001, 1), ACCESS(0, R, 1065, 1, 2)}},
		{"freed, given out again",
		 false,
		 {ACCESS(1, F, 64, 100000, 1), RESET(1, 40000, 20000), ACCESS(0, R, 50000, 4, 2)}},
		{"freed, a byte less given out again",
		 true,
		 {ACCESS(1, F, 64, 100000, 1), RESET(1, 40000, 10003), ACCESS(0, R, 50000, 4, 2)}},
		{"two long ranges", true, {ACCESS(0, W | G, 0, 30000, 1), ACCESS(1, R | G, 29999, 30000, 2)}},
		{"two long ranges side by side",
		 false,
		 {ACCESS(0, W | G, 0, 30000, 1), ACCESS(1, R | G, 30000, 999, 2)}},
		{"nothing at all", false, {ACCESS(0, W | G, 64, 0, 1), ACCESS(1, W | G, 64, 0, 2)}},
		{"the end of memory", true, {ACCESS(0, W, UINT64_MAX - 3, 4, 1), ACCESS(1, W, UINT64_MAX, 1, 2)}},
		/*
		 * The detector drops an access that another one covers. That one must also cover it for all future
		 * accesses.
		 */
		{"kept though read again under a lock",
		 true,
		 {ACCESS(0, R, 64, 8, 1), LOCK(0, 800), ACCESS(0, R, 64, 8, 1), UNLOCK(0, 800), LOCK(1, 800),
		  ACCESS(1, W, 64, 8, 2)}},
		{"kept though written by another statement",
		 true,
		 {ACCESS(0, R, 64, 8, 1), ACCESS(0, W, 64, 8, 3), ACCESS(1, W, 64, 8, 2)}},
		{"kept though repeated on fewer bytes",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, W, 64, 4, 1), ACCESS(1, W, 70, 1, 2)}},
		{"handed over by an atomic store and load",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, W | A, 96, 4, 3), ACCESS(1, R | A, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"a third thread's store came between",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, W | A, 96, 4, 3), ACCESS(2, W | A, 96, 4, 5),
		  ACCESS(1, R | A, 96, 4, 4), ACCESS(1, W, 64, 8, 2)}},
		{"a read-modify-write came between, which publishes nothing",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, W | A, 96, 4, 3), ACCESS(2, R | W | A, 96, 4, 5),
		  ACCESS(1, R | A, 96, 4, 4), ACCESS(1, W, 64, 8, 2)}},
		{"a reference count hands nothing over",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | A, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"the order of two read-modify-writes may be reversed",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"a read-modify-write that takes a pointer",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A | L, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"it orders nothing that comes after the pointer was written",
		 true,
		 {ACCESS(0, R | W | A, 96, 4, 3), ACCESS(0, W, 64, 8, 1), ACCESS(1, R | W | A | L, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"an atomic load of a pointer",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 8, 3), ACCESS(1, R | A | L, 96, 8, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"handed over by an atomic that sets a flag",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A | T, 96, 4, 3), ACCESS(1, R | A, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"an atomic load of a number to which another thread has added",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | A, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"two atomics that set flags",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A | T, 96, 4, 3), ACCESS(1, R | W | A | T, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"a compare-exchange that finds what an atomic store has put there",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, W | A, 96, 4, 3), ACCESS(1, R | W | A | T | K, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"a compare-exchange that finds what a read-modify-write has left there",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A | T | K, 96, 4, 4),
		  ACCESS(1, W, 64, 8, 2)}},
		{"a compare-exchange that failed hands nothing over to a load of the pointer",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A | K, 96, 8, 3), ACCESS(1, R | A | L, 96, 8, 4),
		  ACCESS(1, R, 64, 8, 2)}},
		{"a load that finds a count at zero",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(2, R | W | A, 96, 4, 5),
		  ACCESS(1, R | A | L, 96, 4, 4), ACCESS(1, W, 64, 8, 2)}},
		/* the destructor of the block at 192 counts down the word at 96 */
		{"a count that a thread counts down because it was the last",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 200, 4, 3), ACCESS(2, R | W | A, 200, 4, 4),
		  LAST(2, 192, 48, 200), ACCESS(2, R | W | A, 96, 4, 5), ACCESS(1, R | A | L, 96, 4, 6),
		  ACCESS(1, W, 64, 8, 2)}},
		{"it was counted down after the block was freed",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 200, 4, 3), ACCESS(2, R | W | A, 200, 4, 4),
		  LAST(2, 192, 48, 200), ACCESS(2, F, 192, 48, 7), ACCESS(2, R | W | A, 96, 4, 5),
		  ACCESS(1, R | A | L, 96, 4, 6), ACCESS(1, W, 64, 8, 2)}},
		{"the last reference was dropped",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4),
		  LAST(1, 64, 40, 96), ACCESS(1, F, 64, 40, 2)}},
		{"used after its reference was dropped",
		 true,
		 {ACCESS(0, R | W | A, 96, 4, 3), ACCESS(0, W, 64, 8, 1), ACCESS(1, R | W | A, 96, 4, 4),
		  LAST(1, 64, 40, 96), ACCESS(1, F, 64, 40, 2)}},
		{"used after the last reference was dropped",
		 true,
		 {ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4), LAST(1, 64, 40, 96),
		  ACCESS(0, R, 64, 8, 1), ACCESS(1, W, 64, 8, 2)}},
		/* the flag at 104 is set twice; the count at 96 was dropped by threads 0 and 2 before */
		{"the second thread that sets a flag, after the last drop of a count",
		 false,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(2, R | W | A, 96, 4, 4),
		  LAST(2, 64, 48, 96), ACCESS(2, R | W | A, 104, 1, 5), ACCESS(1, R | W | A, 104, 1, 6),
		  LAST(1, 64, 48, 104), ACCESS(1, F, 64, 48, 2)}},
		{"the first one has used the block after it set the flag",
		 true,
		 {ACCESS(2, R | W | A, 96, 4, 4), LAST(2, 64, 48, 96), ACCESS(2, R | W | A, 104, 1, 5),
		  ACCESS(2, W, 64, 8, 1), ACCESS(1, R | W | A, 104, 1, 6), LAST(1, 64, 48, 104),
		  ACCESS(1, F, 64, 48, 2)}},
		{"the last drop came after the flag was set",
		 true,
		 {ACCESS(2, R | W | A, 104, 1, 5), ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3),
		  ACCESS(2, R | W | A, 96, 4, 4), LAST(2, 64, 48, 96), ACCESS(1, R | W | A, 104, 1, 6),
		  LAST(1, 64, 48, 104), ACCESS(1, F, 64, 48, 2)}},
		{"the last reference to another block",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4),
		  LAST(1, 72, 40, 96), ACCESS(1, W, 64, 8, 2)}},
		{"freed memory that is used again",
		 true,
		 {ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4), LAST(1, 64, 40, 96),
		  ACCESS(1, F, 64, 40, 5), RESET(0, 64, 40), ACCESS(0, W, 64, 8, 1), ACCESS(1, W, 64, 8, 2)}},
		{"kept though done atomically later",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, W | A, 64, 8, 1), ACCESS(1, W | A, 64, 8, 2)}},
		{"the same statement, ordered by a last reference that others do not know",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 104, 4, 3), ACCESS(1, R | W | A, 104, 4, 4),
		  LAST(1, 64, 40, 104), ACCESS(1, W, 64, 8, 1), SEND(1, 5), RECEIVE(2, 5), ACCESS(2, W, 64, 8, 2)}},
		{"the same statement before and after the free of a last reference",
		 true,
		 {ACCESS(0, W, 64, 8, 2), ACCESS(0, R | W | A, 104, 4, 3), ACCESS(1, R | W | A, 104, 4, 4),
		  LAST(1, 64, 40, 104), ACCESS(1, R, 64, 8, 1), ACCESS(1, F, 64, 40, 5), ACCESS(1, R, 64, 8, 1)}},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct rfs_detector_ops *const detectors[] = {rfs_detector_find("hybrid"), &reference_detector};

		for (size_t d = 0; d < 2; d++) {
			static struct pairs pairs;
			bool found = false;

			/* The reference goes byte by byte, so its loops would overflow at the end of memory. */
			if (d == 1 && strcmp(table[i].what, "the end of memory") == 0)
				continue;
			pairs_detect(detectors[d], table[i].events, MAX_EVENTS, &pairs);
			for (size_t p = 0; p < pairs.n; p++)
				found |= pairs.low[p].site == 1 && pairs.high[p].site <= 2;
			cr_expect_eq(found, table[i].race, "%s: %s", detectors[d]->name, table[i].what);
		}
	}
}

Test(hybrid, a_report_has_both_accesses_the_smaller_site_first)
{
	const struct rfs_event events[] = {
		LOCK(2, 800),
		ACCESS(2, W, 68, 4, 9),
		UNLOCK(2, 800),
		ACCESS(1, R, 64, 8, 4),
		ACCESS(1, R, 64, 8, 4),
		ACCESS(2, W, 68, 4, 9),
		ACCESS(1, W | G, 0, 4096, 2),
		ACCESS(2, F, 800, 400, 3),
	};
	static struct pairs pairs;

	pairs_detect(rfs_detector_find("hybrid"), events, sizeof(events) / sizeof(*events), &pairs);
	cr_assert_eq(pairs.n, 3);
	cr_expect(pairs.low[0].site == 2 && pairs.high[0].site == 3);
	/* The reported part of the range is where it overlaps the free. */
	cr_expect(pairs.low[0].thread == 1 && pairs.high[0].thread == 2);
	cr_expect(pairs.low[0].address >= 800 && pairs.low[0].address + pairs.low[0].size <= 1200);
	cr_expect(pairs.low[1].site == 2 && pairs.high[1].site == 9);
	cr_expect(pairs.low[2].site == 4 && pairs.high[2].site == 9);
	cr_expect(pairs.low[2].thread == 1 && pairs.low[2].access == R && pairs.low[2].address == 64 &&
		  pairs.low[2].size == 8 && pairs.low_lock[2] == 0);
	cr_expect(pairs.high[2].thread == 2 && pairs.high[2].access == W && pairs.high[2].address == 68 &&
		  pairs.high[2].size == 4 && pairs.high_lock[2] == 800);
}

/* Whether locks or atomic accesses kept the pair (1, 2) in one order whenever the detector saw it. */
Test(hybrid, pairs_that_something_kept_in_order_are_marked)
{
	const struct {
		const char *what;
		bool ordered;
		struct rfs_event events[MAX_EVENTS];
	} table[] = {
		{"nothing", false, {ACCESS(0, W, 64, 8, 1), ACCESS(1, R, 64, 8, 2)}},
		{"a lock after the one and before the other",
		 true,
		 {ACCESS(0, W, 64, 8, 1), LOCK(0, 800), UNLOCK(0, 800), LOCK(1, 800), UNLOCK(1, 800),
		  ACCESS(1, R, 64, 8, 2)}},
		{"the same long accesses",
		 true,
		 {ACCESS(0, W | G, 64, 4096, 1), LOCK(0, 800), UNLOCK(0, 800), LOCK(1, 800), UNLOCK(1, 800),
		  ACCESS(1, R | G, 64, 4096, 2)}},
		{"another lock",
		 false,
		 {ACCESS(0, W, 64, 8, 1), LOCK(0, 800), UNLOCK(0, 800), LOCK(1, 880), UNLOCK(1, 880),
		  ACCESS(1, R, 64, 8, 2)}},
		{"released before the access",
		 false,
		 {LOCK(0, 800), UNLOCK(0, 800), ACCESS(0, W, 64, 8, 1), LOCK(1, 800), UNLOCK(1, 800),
		  ACCESS(1, R, 64, 8, 2)}},
		{"shared holds",
		 false,
		 {ACCESS(0, W, 64, 8, 1), RDLOCK(0, 800), UNLOCK(0, 800), RDLOCK(1, 800), UNLOCK(1, 800),
		  ACCESS(1, R, 64, 8, 2)}},
		{"a count",
		 true,
		 {ACCESS(0, W, 64, 8, 1), ACCESS(0, R | W | A, 96, 4, 3), ACCESS(1, R | W | A, 96, 4, 4),
		  ACCESS(1, R, 64, 8, 2)}},
		{"a lock, but the other order is free",
		 false,
		 {ACCESS(0, W, 64, 8, 1), LOCK(0, 800), UNLOCK(0, 800), LOCK(1, 800), UNLOCK(1, 800),
		  ACCESS(1, R, 64, 8, 2), ACCESS(0, W, 64, 8, 1)}},
		/* the second write is not remembered, because the detector's own clocks say that it is the first one */
		{"a loop that goes on after the lock",
		 false,
		 {ACCESS(0, W, 64, 8, 1), LOCK(0, 800), UNLOCK(0, 800), ACCESS(0, W, 64, 8, 1), LOCK(1, 800),
		  UNLOCK(1, 800), ACCESS(1, R, 64, 8, 2)}},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		static struct pairs pairs;
		bool found = false;

		pairs_detect(rfs_detector_find("hybrid"), table[i].events, MAX_EVENTS, &pairs);
		for (size_t p = 0; p < pairs.n; p++) {
			if (pairs.low[p].site != 1 || pairs.high[p].site != 2)
				continue;
			found = true;
			cr_expect_eq(pairs.low[p].ordered, table[i].ordered, "%s", table[i].what);
			cr_expect_eq(pairs.high[p].ordered, table[i].ordered, "%s", table[i].what);
		}
		cr_expect(found, "%s", table[i].what);
	}
}

static void expect_same_pairs(const struct pairs *found, const struct pairs *expected, const char *what, uint64_t seed)
{
	cr_expect_eq(found->n, expected->n, "%s %lu: %zu of %zu pairs", what, seed, found->n, expected->n);
	for (size_t i = 0; i < found->n && i < expected->n; i++)
		cr_assert(found->low[i].site == expected->low[i].site && found->high[i].site == expected->high[i].site,
			  "%s %lu: (%lu, %lu), (%lu, %lu) expected", what, seed, found->low[i].site,
			  found->high[i].site, expected->low[i].site, expected->high[i].site);
}

Test(hybrid, equals_brute_force_on_random_events)
{
	enum { STREAMS = 3000, LENGTH = 120 };
	/*
	 * Places where shadow memory has borders or is special: the end of a region of 1 MiB, the end of user space, an
	 * invalid address, and almost the end of all addresses.
	 */
	static const rfs_addr places[] = {0, (1 << 20) - 4096, (UINT64_C(1) << 47) - 4096, UINT64_C(5) << 61,
					  UINT64_MAX - 16000};
	size_t pairs_seen = 0, missing = 0;

	for (uint64_t seed = 1; seed <= STREAMS; seed++) {
		struct rfs_event events[LENGTH];
		static struct pairs found, expected;
		struct rfs_rng rng;
		/* Some streams are short, because long ones tend to have every pair. */
		size_t length = 6 + seed % (LENGTH - 6);

		rfs_rng_init(&rng, seed);
		for (size_t i = 0; i < length; i++) {
			events[i] = events_random(&rng, 2 + seed % 4, false);
			if (events[i].op.object < EVENTS_LOCKS)
				events[i].op.object += places[seed % 5];
		}
		pairs_detect(rfs_detector_find("hybrid"), events, length, &found);
		pairs_detect(&reference_detector, events, length, &expected);
		expect_same_pairs(&found, &expected, "stream", seed);
		pairs_seen += expected.n;
		missing += 36 - expected.n;
	}
	/* The comparison is useful only if many pairs are reported and many are not. 8 sites make 36 pairs. */
	cr_expect_gt(pairs_seen, (size_t)3 * STREAMS);
	cr_expect_gt(missing, (size_t)3 * STREAMS);
}

/* A dropped reference may order an access B after an access A. Others that know of B need not know of A. */
Test(hybrid, last_references_lose_no_other_pairs)
{
	enum { STREAMS = 3000, LENGTH = 30 };
	size_t pairs_seen = 0;

	for (uint64_t seed = 1; seed <= STREAMS; seed++) {
		struct rfs_event events[LENGTH];
		static struct pairs found, expected;
		struct rfs_rng rng;

		rfs_rng_init(&rng, seed);
		for (size_t i = 0; i < LENGTH; i++)
			events[i] = seed % 2 ? events_drop(&rng, 3) : events_random(&rng, 2 + seed % 4, true);
		pairs_detect(rfs_detector_find("hybrid"), events, LENGTH, &found);
		pairs_detect(&reference_detector, events, LENGTH, &expected);
		expect_same_pairs(&found, &expected, "stream with drops", seed);
		pairs_seen += expected.n;
	}
	cr_expect_gt(pairs_seen, (size_t)3 * STREAMS);
}

/*
 * Accesses to one word, from few statements, each under two of thirty locks. The lists of locksets get long, and no
 * lockset may be lost.
 */
Test(hybrid, equals_brute_force_under_many_locksets)
{
	enum { STREAMS = 1500, ROUNDS = 100, LOCKS = 30 };
	size_t pairs_seen = 0, missing = 0;

	for (uint64_t seed = 1; seed <= STREAMS; seed++) {
		static struct rfs_event events[6 * ROUNDS];
		static struct pairs found, expected;
		struct rfs_rng rng;
		/* In half of the streams nearly all accesses hold a lock. */
		uint64_t unprotected = seed % 2 ? 20 : 1;
		size_t n = 0;

		rfs_rng_init(&rng, seed);
		for (size_t i = 0; i < ROUNDS; i++) {
			int t = rfs_rng_below(&rng, 2);
			rfs_addr outer =
				rfs_rng_below(&rng, unprotected) ? 100000 : 100040 + 40 * rfs_rng_below(&rng, LOCKS);
			rfs_addr inner = 100040 + 40 * rfs_rng_below(&rng, LOCKS);
			uint64_t size = rfs_rng_chance(&rng, 1, 30) ? 4 : 8;
			const struct rfs_event round[] = {
				LOCK(t, outer),
				LOCK(t, inner),
				ACCESS(t, rfs_rng_chance(&rng, 1, 4) ? R : W, 64, size, 1 + rfs_rng_below(&rng, 6)),
				UNLOCK(t, inner),
				UNLOCK(t, outer),
				SEND(t, rfs_rng_below(&rng, 50)),
			};

			memcpy(&events[n], round, sizeof(round));
			n += 6;
			if (rfs_rng_chance(&rng, 1, 8))
				events[n - 1].kind = RFS_EVENT_RECEIVE;
		}
		pairs_detect(rfs_detector_find("hybrid"), events, n, &found);
		pairs_detect(&reference_detector, events, n, &expected);
		expect_same_pairs(&found, &expected, "locksets", seed);
		pairs_seen += expected.n;
		missing += 21 - expected.n;
	}
	cr_expect_gt(pairs_seen, STREAMS);
	cr_expect_gt(missing, STREAMS);
}

/*
 * One thread writes under one of forty locks, twice under each. Then another thread holds all of these locks but one,
 * and reads. It races only with the writes under the missing lock. If no lock is missing, it races with none.
 */
Test(hybrid, keeps_an_access_under_each_lockset)
{
	enum { LOCKS = 40 };
	const struct rfs_detector_ops *hybrid = rfs_detector_find("hybrid");

	for (size_t missing = 0; missing <= LOCKS; missing++) {
		struct pairs pairs = {0};
		void *state;

		cr_assert_eq(hybrid->init(&state, &(struct rfs_policy_args){.seed = 1}), 0);
		for (size_t i = 0; i < (size_t)2 * LOCKS; i++) {
			const rfs_addr lock = 100000 + 40 * (i % LOCKS);
			const struct rfs_event events[] = {LOCK(0, lock), ACCESS(0, W, 64, 8, 1), UNLOCK(0, lock)};

			for (size_t e = 0; e < 3; e++)
				hybrid->event(state, &events[e]);
		}
		for (size_t i = 0; i < LOCKS; i++) {
			if (i != missing)
				hybrid->event(state, (struct rfs_event[]){LOCK(1, 100000 + 40 * i)});
		}
		hybrid->event(state, (struct rfs_event[]){ACCESS(1, R, 64, 8, 2)});
		hybrid->report(state, pairs_take, &pairs);
		hybrid->fini(state);
		cr_expect_eq(pairs.n, missing < LOCKS, "%zu", missing);
		if (pairs.n)
			cr_expect_eq(pairs.low_lock[0], 100000 + 40 * missing);
	}
}

/*
 * 30 statements write to one half of a granule. Another statement writes to the other half in a loop, and then that
 * half gets a new life (RESET). The detector must forget the writes of the loop, but must note the same write if it
 * comes again.
 */
Test(hybrid, an_access_counts_again_after_a_reset)
{
	enum { MANY = 30, LOOP = 40, OTHER = 50 };

	for (int again = 0; again <= 1; again++) {
		struct rfs_event events[MANY + 6];
		static struct pairs pairs;
		size_t n = 0;

		for (unsigned i = 0; i < MANY; i++)
			events[n++] = ACCESS(0, W, 68, 4, 1 + i);
		for (unsigned i = 0; i < 3; i++)
			events[n++] = ACCESS(0, W, 64, 4, LOOP);
		events[n++] = RESET(0, 64, 4);
		if (again)
			events[n++] = ACCESS(0, W, 64, 4, LOOP);
		events[n++] = ACCESS(1, R, 64, 4, OTHER);
		pairs_detect(rfs_detector_find("hybrid"), events, n, &pairs);
		cr_expect_eq(pairs.n, again);
		cr_expect_eq(pairs_have(&pairs, LOOP, OTHER), again);
	}
}

Test(hybrid, equals_brute_force_on_random_programs)
{
	size_t pairs = 0;

	for (uint64_t seed = 1; seed <= 2000; seed++) {
		static struct generated program;
		const struct model_config config = {.policy = rfs_policy_find("random"),
						    .seed = seed,
						    .detectors = {rfs_detector_find("hybrid"), &reference_detector},
						    .all_accesses = seed % 2};
		struct model_result result;

		generate_program(&program, seed);
		model_run(&program.program, &config, &result);
		cr_assert_neq(result.end, MODEL_BAD_CHOICE, "%s", result.complaint);
		cr_assert_eq(result.n_pairs[0], result.n_pairs[1], "seed %lu: %zu of %zu", seed, result.n_pairs[0],
			     result.n_pairs[1]);
		for (size_t i = 0; i < result.n_pairs[0]; i++)
			cr_expect(result.pairs[0][i].low == result.pairs[1][i].low &&
				  result.pairs[0][i].high == result.pairs[1][i].high);
		pairs += result.n_pairs[0];
		model_release(&result);
	}
	cr_expect_gt(pairs, 2000);
}

/* A huge range is cheap if the detector has few accesses in it. Here 1 TiB is allocated and 8 GiB are freed. */
Test(hybrid, huge_ranges_are_cheap)
{
	const struct rfs_event before[] = {ACCESS(0, W, UINT64_C(5) << 30, 8, 1)};
	const struct rfs_event freed = ACCESS(1, F, UINT64_C(4) << 30, UINT64_C(8) << 30, 2);
	const struct rfs_event given_out = RESET(1, UINT64_C(4) << 30, UINT64_C(1) << 40);
	const struct rfs_detector_ops *hybrid = rfs_detector_find("hybrid");
	struct pairs pairs = {0};
	void *state;

	cr_assert_eq(hybrid->init(&state, &(struct rfs_policy_args){.seed = 1}), 0);
	for (int i = 0; i < 10000; i++) {
		hybrid->event(state, &before[0]);
		hybrid->event(state, &freed);
		hybrid->event(state, &given_out);
	}
	hybrid->report(state, pairs_take, &pairs);
	hybrid->fini(state);
	cr_assert_eq(pairs.n, 1);
	cr_expect(pairs.low[0].site == 1 && pairs.high[0].site == 2);
}
