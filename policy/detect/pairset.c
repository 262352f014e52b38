/*
 * pairset.c - a hash table by the two sites. A report lists the pairs by site, so that it is the same in every run.
 */
#include "policy/detect/pairset.h"

#include <stdbool.h>
#include <stdlib.h>
#include <uthash.h>

#include "policy/core/alloc.h"
#include "policy/policy.h"

struct pair_key {
	rfs_site low, high;
};

struct rfs_pair {
	struct pair_key key;
	struct rfs_history_access low, high; /* the first two accesses that raced at these sites */
	bool ordered; /* whenever accesses raced there, the full order had the earlier one first */
	UT_hash_handle hh;
};

void rfs_pairset_add(struct rfs_pairset *set, const struct rfs_history_access *earlier,
		     const struct rfs_history_access *later)
{
	bool in_order = earlier->site <= later->site;
	const struct rfs_history_access *low = in_order ? earlier : later, *high = in_order ? later : earlier;
	const struct pair_key key = {low->site, high->site};
	struct rfs_pair *pair;

	HASH_FIND(hh, set->pairs, &key, sizeof(key), pair);
	if (pair) {
		pair->ordered &= earlier->ordered;
		return;
	}
	pair = rfs_policy_zalloc(1, sizeof(*pair));
	pair->ordered = earlier->ordered;
	pair->key = key;
	pair->low = *low;
	pair->high = *high;
	HASH_ADD(hh, set->pairs, key, sizeof(pair->key), pair);
}

static int pairset_compare(struct rfs_pair *a, struct rfs_pair *b)
{
	if (a->key.low != b->key.low)
		return a->key.low < b->key.low ? -1 : 1;
	return (a->key.high > b->key.high) - (a->key.high < b->key.high);
}

/* Caller frees *locks. */
static struct rfs_race_access pairset_describe(struct rfs_locksets *locksets, const struct rfs_history_access *access,
					       rfs_addr **locks)
{
	struct rfs_race_access out = {
		.site = access->site,
		.thread = access->thread,
		.access = access->access,
		.address = access->address,
		.size = access->size,
	};

	out.locks = *locks = rfs_locksets_addresses(locksets, access->locks, &out.n_locks);
	return out;
}

void rfs_pairset_report(struct rfs_pairset *set, struct rfs_locksets *locksets,
			void (*emit)(void *arg, const struct rfs_race_access *a, const struct rfs_race_access *b),
			void *arg)
{
	HASH_SORT(set->pairs, pairset_compare);
	for (struct rfs_pair *pair = set->pairs; pair; pair = pair->hh.next) {
		rfs_addr *low_locks, *high_locks;
		struct rfs_race_access low = pairset_describe(locksets, &pair->low, &low_locks);
		struct rfs_race_access high = pairset_describe(locksets, &pair->high, &high_locks);

		low.ordered = high.ordered = pair->ordered;
		emit(arg, &low, &high);
		free(low_locks);
		free(high_locks);
	}
}

void rfs_pairset_release(struct rfs_pairset *set)
{
	struct rfs_pair *pair, *next;

	HASH_ITER (hh, set->pairs, pair, next) {
		HASH_DEL(set->pairs, pair);
		free(pair);
	}
}
