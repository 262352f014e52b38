/*
 * decisions.h - decides what a campaign does next and what its runs say about a pair, as functions of counts. Nothing
 * is run here.
 */
#ifndef RFS_DECISIONS_H
#define RFS_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/report/report.h"

/* Sampling: how many of the remaining runs a sampler makes before the next check. The very first run replaces phase
 * predict and settles the limits. With --until-failure, failures are checked every few runs. */
uint64_t rfs_decide_sample_turn(uint64_t left, bool limits_settled, bool until_failure);

/*
 * Phase confirm: whether, in the second half of a pair's runs, every other arrival at a statement passes. A thread that
 * is always postponed at one statement may be the thread that another one needs to reach its own statement.
 * (RaceFuzzer's figure 1: x = 1 comes before y = 1, and without y = 1, x is not read.) confirmed, reached: counts of
 * the first half.
 */
bool rfs_decide_let_pass(uint64_t confirmed, const uint64_t reached[2]);

/* A race of a run (from 0) to resolve the other way. Each continuation makes other random draws after the coin. */
struct rfs_flip {
	uint64_t race;
	unsigned continuation; /* from 1 */
};

/* Which race to flip in the i-th replay (from 0), to find out if a race made the run fail. The races are tried in turn,
 * the last one first. False if none is left. */
bool rfs_decide_flip(uint64_t races, unsigned i, struct rfs_flip *out);

/* What a campaign knows of a pair once its runs are done. */
struct rfs_pair_facts {
	uint64_t planned, runs, timeouts, reached[2]; /* as in struct rfs_pair */
	uint64_t confirmed;			      /* runs that created the race */
	uint64_t failed;			      /* of these */
	bool attributed;			      /* a failure is put down to the race */
	bool unclear;				      /* it may be a race of legal atomics */
};

enum rfs_verdict rfs_decide_verdict(const struct rfs_pair_facts *facts);

#endif
