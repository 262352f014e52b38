/*
 * failure_key.h - what tells the failures of two runs apart: how the run ended, where, and what the program said.
 *
 * A helper that ends the program is the innermost function of many failures, and its callers may be the same too. If
 * the program has ended itself, its last message counts as well: what abort(), an assertion, std::terminate() or a
 * check of libc has printed. Numbers and addresses in it are chance and do not count, but the line of a source file
 * does. A message may still differ by chance, so only the first few messages at a place count.
 */
#ifndef RFS_FAILURE_KEY_H
#define RFS_FAILURE_KEY_H

#include <stdbool.h>

#include "supervisor/campaign/decisions/verdict.h"

struct rfs_campaign;
struct rfs_run_result;

/* How many failures at one place are told apart by their messages. Another message counts as the first one. */
#define RFS_MESSAGES_MAX 4

struct rfs_failure_key {
	struct rfs_signature signature;
	char *where; /* deadlock: the stacks of the waiting threads; signal: fault_place.h; otherwise NULL */
	/*
	 * Deadlock, if a thread waits for a signal of a condition variable in the heap or on a stack: the same by the
	 * addresses of these. One lost signal leaves one thread or the other. The address may differ between runs, so
	 * keys are the same if either text is.
	 */
	char *waits;
	char *message; /* what the program said, without its numbers; NULL: nothing, or it has not ended itself */
};

/* False if the run did not fail; *out is then empty. */
bool rfs_failure_key_init(struct rfs_campaign *c, const struct rfs_run_result *result, struct rfs_failure_key *out);
void rfs_failure_key_release(struct rfs_failure_key *key);
/* Whether the ends and places are the same. */
bool rfs_failure_key_at(const struct rfs_failure_key *a, const struct rfs_failure_key *b);
/* Whether the messages are the same, or one is not known. */
bool rfs_failure_key_says(const struct rfs_failure_key *a, const struct rfs_failure_key *b);
/* Whether all is the same. */
bool rfs_failure_key_equal(const struct rfs_failure_key *a, const struct rfs_failure_key *b);

/* The message as it is compared: each number becomes a '#'. Caller frees. */
char *rfs_failure_message(const char *text);

#endif
