/* The limit of a detector's memory: what is forgotten, and that programs of all kinds stay below it. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "policy/core/rng.h"
#include "policy/detector_memory.h"
#include "policy/passes.h"
#include "policy/policy.h"
#include "policy/registry.h"
#include "tests/policy/events.h"

TestSuite(memory, .timeout = 300);

enum { R = RFS_ACCESS_READ, W = RFS_ACCESS_WRITE, F = RFS_ACCESS_FREE };

#define MIB (UINT64_C(1) << 20)
#define STEP 65536u /* a peak is exact up to this */

struct detection {
	const struct rfs_detector_ops *ops;
	void *state;
};

static struct detection begin(const struct rfs_detector_ops *ops, uint64_t memory, const struct rfs_blob *blob)
{
	struct detection d = {.ops = ops};

	cr_assert_eq(ops->init(&d.state, &(struct rfs_policy_args){.seed = 1, .memory = memory, .blob = blob}), 0);
	return d;
}

static void tell(struct detection *d, struct rfs_event event)
{
	d->ops->event(d->state, &event);
}

static struct rfs_detector_memory end(struct detection *d, struct pairs *pairs, struct rfs_blob *saved)
{
	const struct rfs_detector_memory memory = d->ops->memory(d->state);

	pairs->n = 0;
	d->ops->report(d->state, pairs_take, pairs);
	if (saved)
		d->ops->passes->save(d->state, saved);
	d->ops->fini(d->state);
	return memory;
}

/* ---- what is forgotten ---- */

/* The thread writes a word in each of `n` granules of a few MiB, each time from another site. */
static void fill(struct detection *d, rfs_addr start, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tell(d, ACCESS(0, W, start + 8 * i, 8, 1000 + i % 3));
}

/* Two places are accessed before memory is filled, and one of them again in the middle. */
static void two_places(struct detection *d, rfs_addr old, rfs_addr recent)
{
	tell(d, ACCESS(0, W, old, 8, 1));
	tell(d, ACCESS(0, W, recent, 8, 2));
	for (int i = 0; i < 40; i++) {
		fill(d, 64 * MIB + (rfs_addr)i * MIB, MIB / 8);
		tell(d, ACCESS(0, R, recent, 8, 3));
	}
	tell(d, ACCESS(1, W, old, 8, 11));
	tell(d, ACCESS(1, W, recent, 8, 12));
}

Test(memory, the_oldest_accesses_are_forgotten)
{
	static struct pairs pairs;
	const char *const names[] = {"hybrid", "fasttrack"};

	for (size_t i = 0; i < 2; i++)
		for (int limited = 0; limited < 2; limited++) {
			const uint64_t limit = limited ? 8 * MIB : 0;
			struct detection d = begin(rfs_detector_find(names[i]), limit, NULL);
			struct rfs_detector_memory memory;

			two_places(&d, 4 * MIB, 8 * MIB);
			memory = end(&d, &pairs, NULL);
			cr_expect(pairs_have(&pairs, 2, 12) && pairs_have(&pairs, 3, 12), "%s: the recent place",
				  names[i]);
			cr_expect_eq(pairs_have(&pairs, 1, 11), !limited, "%s: the old place", names[i]);
			cr_expect_eq(memory.forgotten != 0, limited, "%s", names[i]);
			cr_expect(!limited || memory.peak <= limit + STEP, "%s: %lu bytes", names[i], memory.peak);
			cr_expect(limited || memory.peak > 16 * MIB, "%s: %lu bytes", names[i], memory.peak);
		}
}

/* A pass that forgets finds fewer suspects; the other pass has its own limit. */
Test(memory, each_pass_has_the_limit)
{
	const struct rfs_detector_passes *passes = rfs_detector_find("hybrid")->passes;
	static struct pairs pairs;
	struct rfs_blob saved;
	struct detection d = begin(passes->first, 8 * MIB, NULL);
	struct rfs_detector_memory memory;

	two_places(&d, 4 * MIB, 8 * MIB);
	memory = end(&d, &pairs, &saved);
	cr_expect(memory.forgotten && memory.peak <= 8 * MIB + STEP, "%lu bytes", memory.peak);
	d = begin(passes->second, 8 * MIB, &saved);
	two_places(&d, 4 * MIB, 8 * MIB);
	memory = end(&d, &pairs, NULL);
	cr_expect_eq(memory.forgotten, 0);
	cr_expect(pairs.n == 2 && pairs_have(&pairs, 2, 12) && pairs_have(&pairs, 3, 12), "%zu pairs", pairs.n);
	free(saved.data);
}

/* ---- nothing is invented ---- */

#define LENGTH 3000

/* Random events in many regions, so that some can be forgotten. */
static void random_events(struct rfs_event *events, uint64_t seed)
{
	struct rfs_rng rng;

	rfs_rng_init(&rng, seed);
	for (size_t i = 0; i < LENGTH; i++) {
		events[i] = events_random(&rng, 2 + seed % 4, false);
		if (events[i].op.object < EVENTS_LOCKS)
			events[i].op.object += MIB * rfs_rng_below(&rng, 200);
	}
}

static struct rfs_detector_memory detect(const struct rfs_detector_ops *ops, uint64_t memory,
					 const struct rfs_event *events, const struct rfs_blob *blob,
					 struct pairs *pairs, struct rfs_blob *saved)
{
	struct detection d = begin(ops, memory, blob);

	for (size_t i = 0; i < LENGTH; i++)
		tell(&d, events[i]);
	return end(&d, pairs, saved);
}

static void expect_within(const struct pairs *some, const struct pairs *all, uint64_t seed)
{
	for (size_t i = 0; i < some->n; i++)
		cr_assert(pairs_have(all, some->low[i].site, some->high[i].site), "seed %lu: (%lu, %lu) is invented",
			  seed, some->low[i].site, some->high[i].site);
}

Test(memory, no_pair_is_invented)
{
	static struct pairs all, some, again;
	static struct rfs_event events[LENGTH];
	uint64_t forgotten = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		const struct rfs_detector_ops *hybrid = rfs_detector_find("hybrid"),
					      *ops = seed % 2 ? hybrid : rfs_detector_find("fasttrack");
		const uint64_t limit = MIB + (seed % 7) * MIB / 2;
		struct rfs_detector_memory memory;
		struct rfs_blob saved;

		random_events(events, seed);
		(void)detect(ops, 0, events, NULL, &all, NULL);
		memory = detect(ops, limit, events, NULL, &some, NULL);
		forgotten += memory.forgotten;
		expect_within(&some, &all, seed);
		/* the same accesses lead to the same memory */
		cr_assert_eq(detect(ops, limit, events, NULL, &again, NULL).peak, memory.peak);
		cr_assert_eq(again.n, some.n);
		(void)detect(hybrid, 0, events, NULL, &all, NULL);
		forgotten += detect(hybrid->passes->first, limit, events, NULL, &some, &saved).forgotten;
		(void)detect(hybrid->passes->second, limit, events, &saved, &some, NULL);
		expect_within(&some, &all, seed);
		free(saved.data);
	}
	cr_expect_gt(forgotten, 300);
}

/* The limit is lower than what cannot be forgotten, so everything else is. */
Test(memory, a_limit_that_is_too_low_does_no_harm)
{
	static struct pairs pairs;
	struct detection d = begin(rfs_detector_find("hybrid"), 1, NULL);

	for (int i = 0; i < 2000; i++)
		for (int thread = 0; thread < 3; thread++)
			tell(&d, ACCESS(thread, W, 4096 + 8 * (rfs_addr)(i % 500), 8, 1 + (rfs_site)thread));
	cr_expect_lt(end(&d, &pairs, NULL).peak, 4 * MIB);
}

/* ---- at scale ---- */

/* Each detector and pass gets the same events. */
static uint64_t peak_of(void (*events)(struct detection *d))
{
	const struct rfs_detector_ops *hybrid = rfs_detector_find("hybrid");
	const struct rfs_detector_ops *const all[] = {hybrid, hybrid->passes->first, rfs_detector_find("fasttrack")};
	static struct pairs pairs;
	uint64_t peak = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct detection d = begin(all[i], 0, NULL);
		struct rfs_detector_memory memory;

		events(&d);
		memory = end(&d, &pairs, NULL);
		if (memory.peak > peak)
			peak = memory.peak;
	}
	return peak;
}

static void threads_one_by_one(struct detection *d)
{
	for (int t = 1; t <= 2000; t++) {
		tell(d, THREAD(t, 0));
		for (rfs_site s = 1; s <= 30; s++)
			tell(d, ACCESS(t, W, 4096 + 8 * s, 8, s));
		tell(d, EXIT(t));
		tell(d, SEND(t, 1));
		tell(d, RECEIVE(0, 1));
	}
}

Test(memory, threads_that_have_ended_need_none)
{
	cr_expect_lt(peak_of(threads_one_by_one), 2 * MIB);
}

static void map_and_unmap(struct detection *d)
{
	/* a few bytes for each would be too much */
	const rfs_addr n = getenv("RFSUP_CHECK_FULL") ? 1000000 : 200000;

	for (rfs_addr i = 0; i < n; i++) {
		const rfs_addr at = (UINT64_C(1) << 40) + i * 2 * MIB;

		tell(d, RESET(0, at, 4096));
		tell(d, ACCESS(0, W, at, 8, 1));
		tell(d, ACCESS(0, W, at + 2048, 100, 2));
		tell(d, RESET(0, at, MIB));
	}
}

Test(memory, mappings_that_were_removed_need_none)
{
	cr_expect_lt(peak_of(map_and_unmap), 2 * MIB);
}

/* 100 GB, of which a word in each GiB is used. */
static void sparse_mapping(struct detection *d)
{
	const uint64_t size = UINT64_C(100) << 30;
	const rfs_addr start = UINT64_C(1) << 44;

	tell(d, RESET(0, start, size));
	for (uint64_t i = 0; i < size; i += UINT64_C(1) << 30) {
		tell(d, ACCESS(0, W, start + i, 8, 1));
		tell(d, ACCESS(1, R, start + i, 8, 2));
	}
	tell(d, ACCESS(1, F, start, size, 3));
	tell(d, RESET(0, start, size));
}

Test(memory, a_sparse_mapping_needs_only_what_is_used)
{
	cr_expect_lt(peak_of(sparse_mapping), 8 * MIB);
}
