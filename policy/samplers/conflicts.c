#include "policy/samplers/conflicts.h"

#include <stdlib.h>
#include <uthash.h>

#include "policy/core/alloc.h"
#include "policy/core/dependence.h"

/* Memory counts in granules of eight bytes. Of a long range, only so many granules count. */
#define GRANULE 8
#define GRANULES_MAX 64

#define KEY_SET_BITS (RFS_KEY_SET_WORDS * 64)

struct rfs_used_thing {
	uint64_t key;
	int thread;	  /* the first one that used it */
	unsigned effects; /* a bit for each enum rfs_effect */
	bool shared;	  /* a second thread used it */
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

/* Calls each() for everything that the operation uses, until each() returns true. */
static bool find_thing(int thread, const struct rfs_op *op,
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
			last += (t->size < GRANULE * GRANULES_MAX ? t->size : GRANULE * GRANULES_MAX) - 1;
		for (uint64_t granule = t->address / GRANULE; granule <= last / GRANULE; granule++)
			if (each(arg, thread, rfs_key(t->space, granule), t->effect))
				return true;
	}
	return false;
}

static bool note_thing(void *arg, int thread, uint64_t key, enum rfs_effect effect)
{
	struct rfs_conflicts *conflicts = arg;
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
	return false;
}

void rfs_conflicts_note(struct rfs_conflicts *conflicts, int thread, const struct rfs_op *op)
{
	(void)find_thing(thread, op, note_thing, conflicts);
}

void rfs_conflicts_collect(const struct rfs_conflicts *conflicts, struct rfs_key_set *out)
{
	for (const struct rfs_used_thing *thing = conflicts->things; thing; thing = thing->hh.next)
		if (thing->shared && thing->effects != 1u << RFS_EFFECT_READ && thing->effects != 1u << RFS_EFFECT_ADD)
			rfs_key_set_add(out, thing->key);
}

void rfs_conflicts_release(struct rfs_conflicts *conflicts)
{
	struct rfs_used_thing *thing, *next;

	HASH_ITER (hh, conflicts->things, thing, next) {
		HASH_DEL(conflicts->things, thing);
		free(thing);
	}
}

struct search {
	const struct rfs_key_set *set;
};

static bool is_in(void *arg, int thread, uint64_t key, enum rfs_effect effect)
{
	const struct search *search = arg;

	(void)thread;
	(void)effect;
	return rfs_key_set_has(search->set, key);
}

bool rfs_conflicts_in(const struct rfs_key_set *set, const struct rfs_op *op)
{
	struct search search = {set};

	return find_thing(0, op, is_in, &search);
}
