/* decisions.h - what a campaign does next, and what runs say of a pair, as functions of counts. Nothing is run here. */
#ifndef RFS_DECISIONS_H
#define RFS_DECISIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/report/report.h"

/*
 * Sampling: how many of the runs that are left a sampler makes before it looks around. The first run of all stands in
 * for phase 1 and settles the limits; with --until-failure, a failure is looked for every few runs.
 */
uint64_t rfs_decide_sample_turn(uint64_t left, bool limits_settled, bool until_failure);

/* Phase 3: how many runs a sampler makes before it is the next one's turn, of `runs` in all. */
uint64_t rfs_decide_explore_turn(uint64_t runs, size_t n_samplers);

/*
 * Phase 2: whether, in the second half of a pair's runs, every other arrival at a statement passes. A thread that is
 * always kept at one statement may be the one that another needs to get to its own (RaceFuzzer's figure 1: x = 1 comes
 * before the y = 1 without which x is not read). confirmed, reached: of the first half.
 */
bool rfs_decide_let_pass(uint64_t confirmed, const uint64_t reached[2]);

/* A race of a run (from 0) to be resolved the other way, with other draws behind the coin for each continuation. */
struct rfs_flip {
	uint64_t race;
	unsigned continuation; /* from 1 */
};

/*
 * The i-th replay (from 0) that is to show whether a race made a run fail: which of its races to flip. They are taken
 * in turn, the last one first. False: none is left to try.
 */
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
