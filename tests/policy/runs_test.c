/* The first pass gets loops as runs, and long accesses as ranges. It must find what it finds if it gets single bytes.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policy/core/rng.h"
#include "policy/passes.h"
#include "policy/shadow/shadow.h"
#include "tests/policy/events.h"

#include "policy/registry.h"

TestSuite(runs, .timeout = 600);

enum { R = RFS_ACCESS_READ, W = RFS_ACCESS_WRITE, F = RFS_ACCESS_FREE };

#define THREADS 3
#define ARRAY (UINT64_C(0x100000) - RFS_PAGE_SIZE) /* a border of regions of the shadow memory is inside the array */
#define ARRAY_SIZE (3 * RFS_PAGE_SIZE)

/* Two first passes: one gets runs and ranges, the other gets each byte alone. */
struct twins {
	const struct rfs_detector_ops *ops;
	void *whole, *bytes;
};

static void tell(const struct twins *twins, struct rfs_event event)
{
	twins->ops->event(twins->whole, &event);
	twins->ops->event(twins->bytes, &event);
}

static void tell_bytes(const struct twins *twins, int thread, unsigned access, rfs_addr first, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		const struct rfs_event event = events_access(thread, access, first + i, 1, 1);

		twins->ops->event(twins->bytes, &event);
	}
}

static void tell_run(const struct twins *twins, int thread, struct rfs_access access, int64_t distance, size_t n)
{
	twins->ops->passes->run(twins->whole, thread, &access, distance, n);
	for (; n > 0; n--, access.address += (uint64_t)distance)
		tell_bytes(twins, thread, access.access, access.address, access.size);
}

static void tell_range(const struct twins *twins, int thread, struct rfs_access access)
{
	const struct rfs_event event = events_access(thread, access.access, access.address, access.size, access.site);

	twins->ops->event(twins->whole, &event);
	tell_bytes(twins, thread, access.access, access.address, access.size);
}

/* A random run. Its last access may reach beyond the array. */
static void random_run(const struct twins *twins, struct rfs_rng *rng, int thread, struct rfs_access access)
{
	static const int64_t distances[] = {0, 1, 2, 4, 8, 16, 24, 64, 12, 4096, 5000};
	int64_t distance = distances[rfs_rng_below(rng, sizeof(distances) / sizeof(*distances))];
	const uint64_t offset = access.address - ARRAY, room = ARRAY_SIZE - offset;
	size_t most = 600, n;

	access.size = UINT64_C(1) << rfs_rng_below(rng, 6);
	if (distance && (rfs_rng_chance(rng, 1, 3) || room / (uint64_t)distance < 2)) {
		most = offset / (uint64_t)distance + 1;
		distance = -distance;
	} else if (distance) {
		most = room / (uint64_t)distance + 1;
	}
	n = 1 + rfs_rng_below(rng, most < 600 ? most : 600);
	tell_run(twins, thread, access, distance, n);
}

static void random_step(const struct twins *twins, struct rfs_rng *rng)
{
	const int thread = (int)rfs_rng_below(rng, THREADS);
	struct rfs_access access = {.site = 1,
				    .address = ARRAY + 8 * rfs_rng_below(rng, ARRAY_SIZE / 8 - 8),
				    .access = rfs_rng_chance(rng, 1, 2) ? R : W};

	if (rfs_rng_chance(rng, 1, 4))
		access.address += rfs_rng_below(rng, 8);
	switch (rfs_rng_below(rng, 10)) {
	case 0:
		tell(twins, SEND(thread, 7));
		break;
	case 1:
		tell(twins, RECEIVE(thread, 7));
		break;
	case 2:
		tell(twins, LOCK(thread, EVENTS_LOCKS));
		break;
	case 3:
		tell(twins, UNLOCK(thread, EVENTS_LOCKS));
		break;
	case 4:
		tell(twins, RESET(thread, access.address, 1 + rfs_rng_below(rng, 5000)));
		break;
	case 5:
	case 6:
		if (rfs_rng_chance(rng, 1, 4))
			access.access = F;
		access.size = 1 + rfs_rng_below(rng, rfs_rng_chance(rng, 1, 2) ? 200 : ARRAY_SIZE);
		tell_range(twins, thread, access);
		break;
	default:
		random_run(twins, rng, thread, access);
	}
}

/* Ends a first pass. Returns its suspects. Caller frees their data. */
static struct rfs_blob suspects_of(const struct rfs_detector_ops *ops, void *state)
{
	struct rfs_blob saved;

	ops->passes->save(state, &saved);
	ops->fini(state);
	if (saved.size) {
		saved.size -= RFS_PASSES_CHECK;
		memmove(saved.data, (char *)saved.data + RFS_PASSES_CHECK, saved.size);
	}
	return saved;
}

Test(runs, mean_the_same_as_their_bytes)
{
	const uint64_t rounds = getenv("RFSUP_CHECK_FULL") ? 10000 : 1000;
	size_t with_suspects = 0, without = 0;

	for (uint64_t seed = 1; seed <= rounds; seed++) {
		struct twins twins = {.ops = rfs_detector_find("hybrid")->passes->first};
		struct rfs_blob whole, bytes;
		struct rfs_rng rng;

		rfs_rng_init(&rng, seed);
		cr_assert_eq(twins.ops->init(&twins.whole, &(struct rfs_policy_args){.seed = 1}), 0);
		cr_assert_eq(twins.ops->init(&twins.bytes, &(struct rfs_policy_args){.seed = 1}), 0);
		for (uint64_t steps = 2 + seed % 30; steps > 0; steps--)
			random_step(&twins, &rng);
		whole = suspects_of(twins.ops, twins.whole);
		bytes = suspects_of(twins.ops, twins.bytes);
		cr_assert(whole.size == bytes.size && (!whole.size || !memcmp(whole.data, bytes.data, whole.size)),
			  "seed %lu: other suspects", seed);
		if (whole.size)
			with_suspects++;
		else
			without++;
		free(whole.data);
		free(bytes.data);
	}
	cr_expect_gt(with_suspects, rounds / 10);
	cr_expect_gt(without, rounds / 100);
}
