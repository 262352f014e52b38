/*
 * verdict.h - whether a run failed and how, and whether a race may be one of legal atomics (docs/internals/campaign.md,
 * "Verdicts"). Pure functions of results.
 */
#ifndef RFS_VERDICT_H
#define RFS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/report/data/report.h"

struct rfs_run_result;
struct rfs_race;
struct rfs_symbols;

/* How a run failed. Two failures are the same if their signatures are equal. */
struct rfs_signature {
	enum rfs_failure_kind kind;
	int detail; /* signal number or exit status; 0: deadlock or hang */
};

/*
 * True if the target failed in this run; *out says how. False also for a run that is not conclusive, such as a timeout;
 * see rfs_run_conclusive(). False also if rfsup refused a call of the program, because that may be why it failed; see
 * rfs_run_failed_refused().
 */
bool rfs_run_failed(const struct rfs_run_result *result, struct rfs_signature *out);
/* True if the target failed after rfsup had refused a call that works without rfsup, such as ptrace(2). */
bool rfs_run_failed_refused(const struct rfs_run_result *result);
/*
 * True if the run shows how the target ends: by itself, in a deadlock, or in a hang. False for a timeout, and for
 * uncontrolled or diverged runs.
 */
bool rfs_run_conclusive(const struct rfs_run_result *result);
bool rfs_signature_equal(const struct rfs_signature *a, const struct rfs_signature *b);

/* The detail as text: "SIGSEGV", "status 3"; NULL for a deadlock or a hang. Caller frees. */
char *rfs_signature_detail(const struct rfs_signature *signature);

/* True if both accesses of a predicted pair are atomic. The pair is then not a race and must not be reported. */
bool rfs_pair_is_atomic(struct rfs_symbols *symbols, const struct rfs_race *race);
/* True if the accesses of a created race may be legal atomics, so that it may not be a data race. */
bool rfs_pair_is_unclear(struct rfs_symbols *symbols, const struct rfs_race *race);
/* True if the two sides are system calls that meet at an object of the kernel. */
bool rfs_race_is_of_calls(const struct rfs_race *race);
/*
 * True if a created race is between a free of a block and an access to it or another free, or if the memory got a new
 * use after a thread had computed its address.
 */
bool rfs_race_is_use_after_free(const struct rfs_race *race);

#endif
