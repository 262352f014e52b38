/* last_drops.c - a few blocks for each thread, with what it knew after the drop. */
#include "policy/detect/last_drops.h"

#include <stdlib.h>
#include <string.h>

#include "policy/core/alloc.h"
#include "policy/policy.h"

/* A thread destroys few blocks at a time. If there are more, the oldest one is forgotten: more pairs are predicted. */
#define BLOCKS 16

/* The history treats clocks of equal version as the same clock. The versions of threads' clocks stay below this. */
#define FIRST_VERSION (UINT64_C(1) << 63)

struct block {
	rfs_addr first, last;
	struct rfs_vclock knows;
	struct rfs_vclock others; /* what the thread learnt by its drop; it does not change later */
};

struct rfs_last_drops_thread {
	struct block blocks[BLOCKS];
	size_t n;
};

static void drop_block(struct rfs_last_drops_thread *of, size_t i)
{
	rfs_vclock_release(&of->blocks[i].knows);
	rfs_vclock_release(&of->blocks[i].others);
	memmove(&of->blocks[i], &of->blocks[i + 1], (--of->n - i) * sizeof(of->blocks[i]));
}

void rfs_last_drops_add(struct rfs_last_drops *drops, int thread, rfs_addr address, uint64_t size,
			const struct rfs_vclock *clock, const struct rfs_vclock *others)
{
	struct rfs_last_drops_thread *of;
	struct block *block;

	rfs_last_drops_reset(drops, address, size);
	if ((size_t)thread >= drops->n) {
		size_t capacity = drops->n;

		drops->threads =
			rfs_policy_grow(drops->threads, &capacity, (size_t)thread + 1, sizeof(*drops->threads));
		drops->n = capacity;
	}
	of = &drops->threads[thread];
	if (of->n == BLOCKS)
		drop_block(of, 0);
	block = &of->blocks[of->n++];
	*block = (struct block){.first = address, .last = address + (size - 1)};
	rfs_vclock_join(&block->others, others);
	rfs_vclock_join(&block->knows, clock);
	rfs_vclock_join(&block->knows, &block->others);
	block->knows.version = FIRST_VERSION + drops->versions++;
}

bool rfs_last_drops_any(const struct rfs_last_drops *drops, int thread)
{
	return (size_t)thread < drops->n && drops->threads[thread].n > 0;
}

void rfs_last_drops_tell(const struct rfs_last_drops *drops, int thread, struct rfs_vclock *out)
{
	const struct rfs_last_drops_thread *of = (size_t)thread < drops->n ? &drops->threads[thread] : NULL;

	for (size_t i = 0; of && i < of->n; i++)
		rfs_vclock_join(out, &of->blocks[i].others);
}

const struct rfs_vclock *rfs_last_drops_knows(struct rfs_last_drops *drops, int thread, const struct rfs_access *access,
					      const struct rfs_vclock *clock)
{
	struct rfs_last_drops_thread *of = (size_t)thread < drops->n ? &drops->threads[thread] : NULL;

	for (size_t i = 0; of && i < of->n; i++) {
		struct block *block = &of->blocks[i];
		const uint64_t version = block->knows.version;

		if (access->address < block->first || access->address > block->last ||
		    access->size > block->last - access->address + 1)
			continue;
		rfs_vclock_join(&block->knows, clock);
		if (block->knows.version != version)
			block->knows.version = FIRST_VERSION + drops->versions++;
		return &block->knows;
	}
	return clock;
}

void rfs_last_drops_reset(struct rfs_last_drops *drops, rfs_addr address, uint64_t size)
{
	for (size_t t = 0; t < drops->n; t++)
		for (size_t i = drops->threads[t].n; i-- > 0;)
			if (drops->threads[t].blocks[i].first <= address + (size - 1) &&
			    drops->threads[t].blocks[i].last >= address)
				drop_block(&drops->threads[t], i);
}

void rfs_last_drops_release(struct rfs_last_drops *drops)
{
	for (size_t t = 0; t < drops->n; t++)
		while (drops->threads[t].n)
			drop_block(&drops->threads[t], drops->threads[t].n - 1);
	free(drops->threads);
	*drops = (struct rfs_last_drops){0};
}
