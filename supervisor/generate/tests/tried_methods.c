/* tried_methods.c - counts of calls for each function, and the texts of trials that failed. */
#include "supervisor/generate/tests/tried_methods.h"

#include <stdlib.h>
#include <uthash.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/tests/sequence.h"

/* A function is never called again after this many trials in which its call ended the driver, or made it unusable. */
#define DEATHS_MAX 2
/* A function is never called again if this many trials failed and none returned. */
#define FAILURES_MAX 24
/*
 * A function is no constructor any more if this many attempts gave no object and none gave one. A constructor may need
 * an object that needs one itself, so without this limit the attempts multiply: mdb_txn_env(txn),
 * mdb_cursor_txn(cursor), mdb_cursor_open(txn, ...).
 */
#define EMPTY_MAX 100
/* A call that does not return costs as much time as many trials. */
#define LATE_FAILURES 6

struct rfs_failed_text {
	uint64_t hash; /* of the text */
	enum rfs_trial_end end;
	UT_hash_handle hh;
};

void rfs_tried_methods_init(const struct rfs_library *library, struct rfs_tried_methods *out)
{
	*out = (struct rfs_tried_methods){
		.library = library,
		.receivers = xcalloc(library->n_functions + 1, sizeof(*out->receivers)),
		.tried = xcalloc(library->n_functions + 1, sizeof(bool)),
		.returned = xcalloc(library->n_functions + 1, sizeof(bool)),
		.calls = xcalloc(library->n_functions + 1, sizeof(*out->calls)),
	};
	for (size_t i = 0; i < library->n_types; i++)
		for (size_t k = 0; k < library->types[i].n_uses; k++) {
			const struct rfs_use *use = &library->types[i].uses[k];

			if (use->role == RFS_ROLE_METHOD && use->parameter < 64)
				out->receivers[use->function] |= UINT64_C(1) << use->parameter;
		}
}

void rfs_tried_methods_release(struct rfs_tried_methods *tried)
{
	struct rfs_failed_text *entry, *next;

	HASH_ITER (hh, tried->failed, entry, next) {
		HASH_DEL(tried->failed, entry);
		free(entry);
	}
	free(tried->receivers);
	free(tried->tried);
	free(tried->returned);
	free(tried->calls);
	*tried = (struct rfs_tried_methods){0};
}

static bool is_on_object(const struct rfs_tried_methods *tried, const struct rfs_sequence_call *call)
{
	if (call->function == RFS_CALL_MEMORY)
		return false;
	for (size_t i = 0; i < call->n_values && i < 64; i++)
		if (tried->receivers[call->function] >> i & 1 && call->values[i].kind == RFS_VALUE_VARIABLE)
			return true;
	return false;
}

/* The call at which the trial ended, or the last one. */
static void note_last(struct rfs_tried_methods *tried, const struct rfs_sequence_call *call, enum rfs_trial_end end)
{
	struct rfs_tried_methods_calls *calls = &tried->calls[call->function];

	if (end == RFS_TRIAL_OK)
		calls->returned++;
	else
		calls->failed += end == RFS_TRIAL_LATE ? LATE_FAILURES : 1;
}

void rfs_tried_methods_note(struct rfs_tried_methods *tried, const struct rfs_sequence *sequence,
			    const struct rfs_trial *trial)
{
	const struct rfs_sequence_call *last = NULL;
	size_t number = 0;

	if (trial->end == RFS_TRIAL_BAD)
		return; /* the driver has executed nothing */
	for (int section = 0; section < RFS_N_SECTIONS; section++)
		for (size_t i = 0; i < sequence->n[section] && number <= trial->n; i++, number++) {
			const struct rfs_sequence_call *call = &sequence->calls[section][i];

			last = call;
			if (!is_on_object(tried, call))
				continue;
			tried->tried[call->function] = true;
			tried->returned[call->function] |= number < trial->n;
		}
	if (last && last->function != RFS_CALL_MEMORY)
		note_last(tried, last, trial->end);
}

bool rfs_tried_methods_has_failed(const struct rfs_tried_methods *tried, const char *text, size_t size,
				  enum rfs_trial_end *end)
{
	const uint64_t hash = XXH64(text, size, 0);
	struct rfs_failed_text *found;

	HASH_FIND(hh, tried->failed, &hash, sizeof(hash), found);
	if (found)
		*end = found->end;
	return found;
}

void rfs_tried_methods_note_failed(struct rfs_tried_methods *tried, const char *text, size_t size,
				   enum rfs_trial_end end)
{
	struct rfs_failed_text *entry = xcalloc(1, sizeof(*entry));

	entry->hash = XXH64(text, size, 0);
	entry->end = end;
	HASH_ADD(hh, tried->failed, hash, sizeof(entry->hash), entry);
}

void rfs_tried_methods_died(struct rfs_tried_methods *tried, size_t function)
{
	tried->calls[function].deaths++;
}

void rfs_tried_methods_ended(struct rfs_tried_methods *tried, size_t function)
{
	tried->calls[function].ended++;
}

void rfs_tried_methods_made(struct rfs_tried_methods *tried, size_t function, bool object)
{
	if (object)
		tried->calls[function].made++;
	else
		tried->calls[function].empty++;
}

bool rfs_tried_methods_makes(const struct rfs_tried_methods *tried, size_t function)
{
	return tried->calls[function].made || tried->calls[function].empty < EMPTY_MAX;
}

bool rfs_tried_methods_is_dropped(const struct rfs_tried_methods *tried, size_t function)
{
	const struct rfs_tried_methods_calls *calls = &tried->calls[function];

	return calls->deaths >= DEATHS_MAX ||
	       (calls->returned <= calls->ended && calls->failed + calls->ended >= FAILURES_MAX);
}

unsigned rfs_tried_methods_likely(const struct rfs_tried_methods *tried, size_t function)
{
	const struct rfs_tried_methods_calls *calls = &tried->calls[function];
	const unsigned n = calls->returned + calls->failed,
		       used = calls->returned > calls->ended ? calls->returned - calls->ended : 0;

	if (rfs_tried_methods_is_dropped(tried, function))
		return 0;
	return 1 + (RFS_TRIED_METHODS_LIKELY - 1) * (used + 1) / (n + 1);
}

size_t rfs_tried_methods_methods(const struct rfs_tried_methods *tried, size_t *returned)
{
	size_t n = 0;

	*returned = 0;
	for (size_t i = 0; i < tried->library->n_functions; i++) {
		n += tried->tried[i];
		*returned += tried->returned[i];
	}
	return n;
}

bool rfs_tried_methods_never_returned(const struct rfs_tried_methods *tried, size_t function)
{
	return tried->tried[function] && !tried->returned[function];
}
