/*
 * atom_run.c - contexts that accesses share, and the list of violations. Of two that are the same, the better one
 * stays.
 */
#include "policy/detect/atom_run.h"

#include <stdlib.h>

#include "policy/core/alloc.h"

/* More different violations in one run are not compared with each other. */
#define FOUND_MAX 4096

static void release_clock(struct atom_clock *clock)
{
	if (!clock || --clock->refs)
		return;
	rfs_vclock_release(&clock->knows);
	free(clock);
}

void rfs_atom_context_release(struct atom_context *context)
{
	if (!context || --context->refs)
		return;
	release_clock(context->clock);
	free(context);
}

struct atom_context *rfs_atom_context_share(struct atom_context *context)
{
	context->refs++;
	return context;
}

void rfs_atom_end_context(struct atom_thread *thread)
{
	rfs_atom_context_release(thread->context);
	thread->context = NULL;
	thread->changes++;
}

void rfs_atom_end_clock(struct atom_thread *thread)
{
	rfs_atom_end_context(thread);
	release_clock(thread->clock);
	thread->clock = NULL;
}

bool rfs_atom_exclude(const struct atom_hold *a, const struct atom_hold *b)
{
	return !(a->shared && b->shared);
}

bool rfs_atom_is_before(const struct atom_context *a, const struct atom_context *b)
{
	return rfs_vclock_get(&b->clock->knows, (uint32_t)a->thread) >= a->own;
}

static bool atom_run_is_better(const struct rfs_atomicity_violation *a, const struct rfs_atomicity_violation *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->distance < b->distance;
}

void rfs_atom_add(struct atom_run *run, const struct atom_key *key, const struct rfs_atomicity_violation *violation)
{
	struct atom_found *found;

	HASH_FIND(hh, run->found, key, sizeof(*key), found);
	if (!found && HASH_COUNT(run->found) >= FOUND_MAX) {
		run->is_full = true;
		return;
	}
	if (!found) {
		found = rfs_policy_zalloc(1, sizeof(*found));
		found->key = *key;
		found->violation = *violation;
		HASH_ADD(hh, run->found, key, sizeof(found->key), found);
	} else if (atom_run_is_better(violation, &found->violation)) {
		found->violation = *violation;
	}
}

void rfs_atom_run_release(struct atom_run *run)
{
	struct atom_found *found, *after;

	HASH_ITER (hh, run->found, found, after) {
		HASH_DEL(run->found, found);
		free(found);
	}
	for (size_t i = 0; i < run->n_threads; i++) {
		rfs_atom_end_clock(&run->threads[i]);
		free(run->threads[i].holds);
	}
	rfs_hb_release(&run->hb);
	free(run->threads);
}
