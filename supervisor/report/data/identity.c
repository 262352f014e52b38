/* identity.c - hashes places by offset for ids, and by function names for fingerprints. */
#include "supervisor/report/data/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* for the size of XXH64_state_t */
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/path.h"
#include "supervisor/report/data/report.h"
#include "supervisor/report/data/report_groups.h"
#include "supervisor/symbols/source_place.h"

int rfs_identity_compare_places(const struct rfs_source_place *a, const struct rfs_source_place *b)
{
	int names = strcmp(rfs_base_name(a->module), rfs_base_name(b->module));

	return names ? names : (a->offset > b->offset) - (a->offset < b->offset);
}

/* ---- ids ---- */

/* Strings are hashed with their NUL, so that no two lists of strings give the same bytes. */
static void hash_string(XXH64_state_t *state, const char *s)
{
	XXH64_update(state, s, strlen(s) + 1);
}

static void hash_place(XXH64_state_t *state, const struct rfs_source_place *place)
{
	hash_string(state, rfs_base_name(place->module));
	XXH64_update(state, &place->offset, sizeof(place->offset));
}

static void print_id(XXH64_state_t *state, char *out)
{
	snprintf(out, 17, "%016llx", (unsigned long long)XXH64_digest(state));
}

void rfs_report_pair_id(const struct rfs_source_place *a, const struct rfs_source_place *b, char *out)
{
	bool swap = rfs_identity_compare_places(a, b) > 0;
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	hash_place(&state, swap ? b : a);
	hash_place(&state, swap ? a : b);
	print_id(&state, out);
}

/* ---- fingerprints ---- */

/* Hashes the function of a place; its offset if the function has no name. */
static void hash_function(XXH64_state_t *state, const struct rfs_source_place *place)
{
	if (!place->function) {
		hash_place(state, place);
		return;
	}
	hash_string(state, rfs_base_name(place->module));
	hash_string(state, place->function);
}

static uint64_t function_hash(const struct rfs_source_place *place)
{
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	hash_function(&state, place);
	return XXH64_digest(&state);
}

static void print_fingerprint(const char *kind, uint64_t rest, char *out)
{
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	hash_string(&state, kind);
	XXH64_update(&state, &rest, sizeof(rest));
	print_id(&state, out);
}

/* ---- findings ---- */

/* The sums below make the order of the statements or threads irrelevant. */

void rfs_identify_pair(struct rfs_report_pair *pair)
{
	const struct rfs_report_statement *side = pair->statement;
	struct rfs_report_identity *identity = &pair->identity;

	rfs_report_pair_id(&side[0].place, &side[1].place, identity->id);
	print_fingerprint("race",
			  function_hash(rfs_report_own_place(&side[0])) + function_hash(rfs_report_own_place(&side[1])),
			  identity->fingerprint);
}

/*
 * Hashes the stacks of the waiting threads, each one once. If a thread has no stack, or waits for a signal, the name of
 * what it waits for is hashed: which waiter a lost signal has left is chance. Threads behind others are left out: which
 * ones have come to wait for the end of another thread is chance too.
 */
void rfs_identify_deadlock(struct rfs_report_deadlock *deadlock)
{
	uint64_t places = 0, functions = 0, *seen = xcalloc(deadlock->n_threads + 1, sizeof(*seen));
	XXH64_state_t id, fingerprint;

	for (size_t i = 0; i < deadlock->n_threads; i++) {
		const struct rfs_report_waiter *waiter = &deadlock->threads[i];
		const bool by_name = !waiter->stack.n_frames || (waiter->by_name && !deadlock->cycle);
		bool again = waiter->behind;

		XXH64_reset(&id, 0);
		XXH64_reset(&fingerprint, 0);
		for (size_t f = 0; f < waiter->stack.n_frames && !by_name; f++) {
			hash_place(&id, &waiter->stack.frames[f]);
			hash_function(&fingerprint, &waiter->stack.frames[f]);
		}
		if (by_name) {
			hash_string(&id, waiter->waits_for ? waiter->waits_for : "");
			hash_string(&fingerprint, waiter->waits_for ? waiter->waits_for : "");
		}
		seen[i] = XXH64_digest(&id);
		for (size_t k = 0; k < i; k++)
			again |= !deadlock->cycle && seen[k] == seen[i];
		if (again)
			continue;
		places += seen[i];
		functions += XXH64_digest(&fingerprint);
	}
	free(seen);
	XXH64_reset(&id, 0);
	XXH64_update(&id, &places, sizeof(places));
	print_id(&id, deadlock->identity.id);
	print_fingerprint("deadlock", functions, deadlock->identity.fingerprint);
}

/* The detail of a failure names a function, not an offset, so both are the same. */
void rfs_identify_failure(struct rfs_report_failure *failure)
{
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	hash_string(&state, rfs_failure_name(failure->kind));
	hash_string(&state, failure->detail ? failure->detail : "");
	print_id(&state, failure->identity.id);
	strcpy(failure->identity.fingerprint, failure->identity.id);
}

void rfs_identify_misuse(struct rfs_report_misuse *misuse)
{
	XXH64_state_t id, fingerprint;

	XXH64_reset(&id, 0);
	XXH64_reset(&fingerprint, 0);
	hash_string(&id, misuse->kind);
	hash_string(&fingerprint, misuse->kind);
	for (size_t f = 0; f < misuse->stack.n_frames; f++) {
		hash_place(&id, &misuse->stack.frames[f]);
		hash_function(&fingerprint, &misuse->stack.frames[f]);
	}
	print_id(&id, misuse->identity.id);
	print_id(&fingerprint, misuse->identity.fingerprint);
}
