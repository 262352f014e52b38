/*
 * verdict.h - decides what runs mean: failures and their signatures, and the verdict on a pair (docs/INTERNALS.md,
 * "Verdicts"). Pure: nothing is run here.
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

/* How a run failed. Two failures are the same if kind and detail are equal. */
struct rfs_signature {
	enum rfs_failure_kind kind;
	int detail; /* signal number or exit status; 0 for a deadlock or a hang */
};

/* True if the run ended in a failure of the target. False also for inconclusive runs: see rfs_run_conclusive(). */
bool rfs_run_failed(const struct rfs_run_result *result, struct rfs_signature *out);
/* True if the target ended by itself, or in a deadlock or hang. False for a timeout, and for uncontrolled or diverged
 * runs. */
bool rfs_run_conclusive(const struct rfs_run_result *result);
bool rfs_signature_equal(const struct rfs_signature *a, const struct rfs_signature *b);

/* "SIGSEGV", "status 3"; NULL for a deadlock or a hang. Caller frees. */
char *rfs_signature_detail(const struct rfs_signature *signature);

/* True if both accesses of a predicted pair are atomic: it is not a race, and must not be reported. */
bool rfs_pair_is_atomic(struct rfs_symbols *symbols, const struct rfs_race *race);
/* True if a created race may be one of legal atomics. */
bool rfs_pair_is_unclear(struct rfs_symbols *symbols, const struct rfs_race *race);

#endif
