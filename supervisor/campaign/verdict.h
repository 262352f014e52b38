/*
 * verdict.h - what runs mean: failures and their signatures, and the verdict on a pair (docs/INTERNALS.md, "Verdicts").
 * Pure: nothing is run here.
 */
#ifndef RFS_VERDICT_H
#define RFS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/report/report.h"

struct rfs_run_result;
struct rfs_race;
struct rfs_symbols;

/* How a run failed. Two failures are the same where kind and detail are. */
struct rfs_signature {
	enum rfs_failure_kind kind;
	int detail; /* signal number or exit status; 0 for a deadlock or a hang */
};

/* True where the run ended in a failure of the target. False too for runs that are inconclusive: rfs_run_conclusive().
 */
bool rfs_run_failed(const struct rfs_run_result *result, struct rfs_signature *out);
/* The target came to an end of its own, or to a deadlock or hang: not a timeout, not uncontrolled, not diverged. */
bool rfs_run_conclusive(const struct rfs_run_result *result);
bool rfs_signature_equal(const struct rfs_signature *a, const struct rfs_signature *b);

/* "SIGSEGV", "status 3"; NULL for a deadlock or a hang. Caller frees. */
char *rfs_signature_detail(const struct rfs_signature *signature);

/* True where a predicted pair is no race and not to be reported: both accesses are atomic. */
bool rfs_pair_is_atomic(struct rfs_symbols *symbols, const struct rfs_race *race);
/* True where a created race may be one of legal atomics. */
bool rfs_pair_is_unclear(struct rfs_symbols *symbols, const struct rfs_race *race);

#endif
