/*
 * verdict.h - what runs mean: failures and their signatures, the baseline of plain runs, and the verdict on a pair
 * (docs/INTERNALS.md, "Verdicts"). Pure: nothing is run here.
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

/* The plain runs. */
struct rfs_baseline {
	uint64_t runs;	   /* that came to an end */
	uint64_t timeouts; /* that did not */
	uint64_t failures;
	struct {
		struct rfs_signature signature;
		uint64_t runs;
	} * seen;
	size_t n_seen;
	double cpu_seconds, wall_seconds; /* of the longest one */
};
void rfs_baseline_add(struct rfs_baseline *baseline, const struct rfs_run_result *result);
/* True where every plain run failed in just this way: then it tells nothing about schedules. */
bool rfs_baseline_always(const struct rfs_baseline *baseline, const struct rfs_signature *signature);
void rfs_baseline_release(struct rfs_baseline *baseline);

/* True where a predicted pair is no race and not to be reported: both accesses are atomic. */
bool rfs_pair_is_atomic(struct rfs_symbols *symbols, const struct rfs_race *race);
/* True where a created race may be one of legal atomics. */
bool rfs_pair_is_unclear(struct rfs_symbols *symbols, const struct rfs_race *race);

#endif
