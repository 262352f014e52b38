/* life_uses.c - finds the life of a thing, and the uses in it that no message orders before the end. */
#include "policy/detect/life_uses.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/core/hb.h"
#include "policy/core/vclock.h"
#include "policy/detect/atom_run.h"

struct rfs_life *rfs_life_uses_find(const struct rfs_life_uses *lives, uint64_t number)
{
	struct rfs_life *life;

	HASH_FIND(hh, lives->list, &number, sizeof(number), life);
	return life;
}

void rfs_life_uses_forget(struct rfs_life_uses *lives, struct rfs_life *life)
{
	HASH_DEL(lives->list, life);
	for (size_t i = 0; i < life->n_uses; i++)
		free(life->uses[i].holds);
	free(life);
}

/* The entry of this thread and place, or a new one. */
static struct rfs_life_use *use_of(struct rfs_life *life, int thread, rfs_site site)
{
	struct rfs_life_use *oldest = &life->uses[0];

	for (size_t i = 0; i < life->n_uses; i++) {
		struct rfs_life_use *use = &life->uses[i];

		if (use->thread == thread && use->site == site)
			return use;
		if (use->sequence < oldest->sequence)
			oldest = use;
	}
	return life->n_uses < RFS_LIFE_USES ? &life->uses[life->n_uses++] : oldest;
}

struct rfs_life_use *rfs_life_uses_use(struct atom_run *run, struct rfs_life_uses *lives, size_t most, uint64_t number,
				       int thread, rfs_site site)
{
	struct rfs_life *life = rfs_life_uses_find(lives, number);
	struct rfs_life_use *use;

	if (!life && HASH_COUNT(lives->list) >= most) {
		run->is_full = true;
		return NULL;
	}
	if (!life) {
		life = rfs_policy_zalloc(1, sizeof(*life));
		life->number = number;
		HASH_ADD(hh, lives->list, number, sizeof(life->number), life);
	}
	use = use_of(life, thread, site);
	free(use->holds);
	*use = (struct rfs_life_use){
		.thread = thread,
		.site = site,
		.own = rfs_vclock_get(rfs_hb_clock(&run->hb, thread), (uint32_t)thread),
		.sequence = ++lives->sequence,
	};
	return use;
}

void rfs_life_use_holds(const struct atom_run *run, struct rfs_life_use *use)
{
	const struct atom_thread *thread = (size_t)use->thread < run->n_threads ? &run->threads[use->thread] : NULL;

	if (!thread || !thread->n_holds)
		return;
	use->n_holds = thread->n_holds < HOLDS_MAX ? thread->n_holds : HOLDS_MAX;
	use->holds = rfs_policy_zalloc(use->n_holds, sizeof(*use->holds));
	memcpy(use->holds, thread->holds, use->n_holds * sizeof(*use->holds));
}

void rfs_life_uses_end(struct atom_run *run, struct rfs_life_uses *lives, struct rfs_life *life, int thread,
		       rfs_site site, rfs_life_uses_found *found, const void *end)
{
	const struct rfs_vclock *knows = rfs_hb_clock(&run->hb, thread);

	for (size_t i = 0; i < life->n_uses; i++) {
		const struct rfs_life_use *use = &life->uses[i];

		if (use->thread != thread && use->site && site &&
		    rfs_vclock_get(knows, (uint32_t)use->thread) < use->own)
			found(run, lives, life, use, end);
	}
	rfs_life_uses_forget(lives, life);
}

void rfs_life_uses_release(struct rfs_life_uses *lives)
{
	struct rfs_life *life, *next;

	HASH_ITER (hh, lives->list, life, next)
		rfs_life_uses_forget(lives, life);
}
