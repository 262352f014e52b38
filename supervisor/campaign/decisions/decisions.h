/*
 * decisions.h - pure functions that decide what a campaign does next, and what the runs of a pair mean. They depend on
 * counts only.
 */
#ifndef RFS_DECISIONS_H
#define RFS_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/report/data/report.h"

/*
 * Sampling mode: how many of the `left` runs a sampler makes in the next batch. It makes one run as long as the limits
 * are not settled, because that run sets the limits (limits.h). With --until-failure it makes a few, because failures
 * are checked after each batch. Otherwise it makes all.
 */
uint64_t rfs_decide_sample_turn(uint64_t left, bool limits_settled, bool until_failure);

/*
 * Phase confirm: whether, in the second half of a pair's runs, a thread that arrives at a statement is postponed only
 * every second time. confirmed, reached: counts of the first half.
 *
 * If a thread is always postponed at its statement, the other thread may never reach the other statement. Example, from
 * figure 1 of the RaceFuzzer paper: one thread writes x, then y; the other thread reads x only if y is 1. If the write
 * of x is always postponed, x is never read.
 */
bool rfs_decide_let_pass(uint64_t confirmed, const uint64_t reached[2]);

/*
 * Whether a pair that had its first turn waits until others had more of them. confirmed, reached: counts of its runs.
 * Its runs teach nothing if one statement was never reached, or if the pair may be impossible (`late` of struct
 * rfs_arm) and was not created.
 */
bool rfs_decide_wait(uint64_t confirmed, const uint64_t reached[2], bool late);

/* Kinds of predictions, in the order in which they have turns. */
enum rfs_prediction_kind {
	RFS_PREDICTED_ORDER,
	RFS_PREDICTED_PAIR,
	RFS_PREDICTED_ATOMICITY,
	RFS_PREDICTED_CYCLE,
	RFS_PREDICTION_KINDS
};

/*
 * Writes to `out` whose turn is next, for all predictions of a round; n: how many there are of each kind. Kinds take
 * turns, because a budget may end before all predictions had theirs. Order violations are first, and have two turns
 * at a time: there are few of them, and one run of each usually shows whether the program depends on the order, while
 * most pairs do no harm.
 */
void rfs_decide_mix(const size_t n[RFS_PREDICTION_KINDS], enum rfs_prediction_kind *out);

/*
 * Whether the next predicting runs are made in two passes (pool/passes.h). pairs: how many pairs are known; accesses
 * and steps: of all predicting runs so far.
 *
 * The first pass alone never takes longer than a run in one pass, and is enough if there are no races. A second pass
 * repeats the start of the program and all its stops.
 */
bool rfs_decide_two_passes(size_t pairs, uint64_t runs, uint64_t accesses, uint64_t steps);

/* The facts that decide the verdict on a pair after all its runs. */
struct rfs_pair_facts {
	uint64_t planned, runs, timeouts, reached[2]; /* as in struct rfs_pair */
	uint64_t confirmed;			      /* runs that created the race */
	uint64_t failed;			      /* runs that created the race and failed */
	bool attributed;			      /* at least one failure is attributed to the race */
	bool use_after_free;			      /* see rfs_race_is_use_after_free() */
	bool calls;				      /* one side is a system call on an object of the kernel */
	bool interrupts;			      /* one side is a signal handler that interrupts the other */
	bool unclear;				      /* the race may be one of legal atomics (rfs_pair_is_unclear()) */
};

enum rfs_verdict rfs_decide_verdict(const struct rfs_pair_facts *facts);

#endif
