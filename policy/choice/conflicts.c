/*
 * conflicts.c - keeps who accessed which memory and object in a run, and collects what was used in a conflicting way.
 */
#include "policy/choice/conflicts.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"

/* Memory counts in granules of eight bytes. Of a long range, only this many granules count; more of them with sites. */
#define GRANULE 8
#define GRANULES_MAX 64
#define GRANULES_WITH_SITES 65536

#define KEY_SET_BITS (RFS_KEY_SET_WORDS * 64)

struct rfs_used_thing {
	uint64_t key;
	int thread;	  /* the first one that used it */
	unsigned effects; /* a bit for each enum rfs_effect */
	bool shared;	  /* a second thread used it */
	rfs_site *sites;  /* of accesses to it, each once; only with_sites */
	size_t n_sites, sites_capacity;
	UT_hash_handle hh;
};

/* The finaliser of splitmix64. */
uint64_t rfs_key(uint64_t a, uint64_t b)
{
	uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b + 1;

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return z ? z : 1;
}

void rfs_key_set_add(struct rfs_key_set *set, uint64_t key)
{
	const uint64_t a = key % KEY_SET_BITS, b = (key >> 32) % KEY_SET_BITS;

	set->words[a / 64] |= UINT64_C(1) << a % 64;
	set->words[b / 64] |= UINT64_C(1) << b % 64;
}

bool rfs_key_set_has(const struct rfs_key_set *set, uint64_t key)
{
	const uint64_t a = key % KEY_SET_BITS, b = (key >> 32) % KEY_SET_BITS;

	return (set->words[a / 64] >> a % 64 & 1) && (set->words[b / 64] >> b % 64 & 1);
}

/* Calls each() for everything that the operation uses, until each() returns true. longest: granules of a range. */
static bool find_thing(int thread, const struct rfs_op *op, uint64_t longest,
		       bool (*each)(void *arg, int thread, uint64_t key, enum rfs_effect effect), void *arg)
{
	struct rfs_touch touches[RFS_TOUCHES_MAX];
	size_t n = rfs_touches(thread, op, touches);

	for (size_t i = 0; i < n; i++) {
		const struct rfs_touch *t = &touches[i];
		uint64_t last = t->address;

		if (t->space != RFS_SPACE_MEMORY && t->space != RFS_SPACE_OBJECT && t->space != RFS_SPACE_OUTSIDE)
			continue;
		if (t->space == RFS_SPACE_MEMORY)
			last += (t->size < GRANULE * longest ? t->size : GRANULE * longest) - 1;
		for (uint64_t granule = t->address / GRANULE; granule <= last / GRANULE; granule++)
			if (each(arg, thread, rfs_key(t->space, granule), t->effect))
				return true;
	}
	return false;
}

struct noting {
	struct rfs_conflicts *conflicts;
	rfs_site site; /* of an access; 0: none, or it is not wanted */
};

static void conflicts_add_site(struct rfs_used_thing *thing, rfs_site site)
{
	for (size_t i = 0; i < thing->n_sites; i++)
		if (thing->sites[i] == site)
			return;
	thing->sites = rfs_policy_grow(thing->sites, &thing->sites_capacity, thing->n_sites + 1, sizeof(*thing->sites));
	thing->sites[thing->n_sites++] = site;
}

static bool note_thing(void *arg, int thread, uint64_t key, enum rfs_effect effect)
{
	const struct noting *noting = arg;
	struct rfs_conflicts *conflicts = noting->conflicts;
	struct rfs_used_thing *thing;

	HASH_FIND(hh, conflicts->things, &key, sizeof(key), thing);
	if (!thing) {
		thing = rfs_policy_zalloc(1, sizeof(*thing));
		thing->key = key;
		thing->thread = thread;
		HASH_ADD(hh, conflicts->things, key, sizeof(key), thing);
	}
	thing->shared |= thing->thread != thread;
	thing->effects |= 1u << effect;
	if (noting->site)
		conflicts_add_site(thing, noting->site);
	return false;
}

void rfs_conflicts_note(struct rfs_conflicts *conflicts, int thread, const struct rfs_op *op)
{
	const bool access = op->kind == RFS_OP_ACCESS || op->kind == RFS_OP_SPIN_READ;
	struct noting noting = {conflicts, conflicts->with_sites && access ? op->site : 0};

	(void)find_thing(thread, op, conflicts->with_sites ? GRANULES_WITH_SITES : GRANULES_MAX, note_thing, &noting);
}

static bool is_conflict(const struct rfs_used_thing *thing)
{
	return thing->shared && thing->effects != 1u << RFS_EFFECT_READ && thing->effects != 1u << RFS_EFFECT_ADD;
}

void rfs_conflicts_collect(const struct rfs_conflicts *conflicts, struct rfs_key_set *out)
{
	for (const struct rfs_used_thing *thing = conflicts->things; thing; thing = thing->hh.next)
		if (is_conflict(thing))
			rfs_key_set_add(out, thing->key);
}

static int conflicts_compare_sites(const void *a, const void *b)
{
	const rfs_site x = *(const rfs_site *)a, y = *(const rfs_site *)b;

	return (x > y) - (x < y);
}

rfs_site *rfs_conflicts_sites(const struct rfs_conflicts *conflicts, size_t *n)
{
	size_t capacity = 0, all = 0;
	rfs_site *sites = NULL;

	for (const struct rfs_used_thing *thing = conflicts->things; thing; thing = thing->hh.next) {
		if (!is_conflict(thing) || !thing->n_sites)
			continue;
		sites = rfs_policy_grow(sites, &capacity, all + thing->n_sites, sizeof(*sites));
		memcpy(sites + all, thing->sites, thing->n_sites * sizeof(*sites));
		all += thing->n_sites;
	}
	if (all)
		qsort(sites, all, sizeof(*sites), conflicts_compare_sites);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (i == 0 || sites[i] != sites[i - 1])
			sites[(*n)++] = sites[i];
	return sites;
}

void rfs_conflicts_release(struct rfs_conflicts *conflicts)
{
	struct rfs_used_thing *thing, *next;

	HASH_ITER (hh, conflicts->things, thing, next) {
		HASH_DEL(conflicts->things, thing);
		free(thing->sites);
		free(thing);
	}
}

struct search {
	const struct rfs_key_set *set;
};

static bool conflicts_is_in(void *arg, int thread, uint64_t key, enum rfs_effect effect)
{
	const struct search *search = arg;

	(void)thread;
	(void)effect;
	return rfs_key_set_has(search->set, key);
}

bool rfs_conflicts_in(const struct rfs_key_set *set, const struct rfs_op *op)
{
	struct search search = {set};

	return find_thing(0, op, GRANULES_MAX, conflicts_is_in, &search);
}
