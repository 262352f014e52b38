/*
 * confirm.h - phase confirm: a run of a pair under RaceFuzzer (Sen, PLDI 2008), which tries to create the race. When it
 * has created the race, it lets one of the two threads go first, at random. rounds.c decides how many runs each pair
 * gets, and judge.c what they mean.
 */
#ifndef RFS_CONFIRM_H
#define RFS_CONFIRM_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_campaign;
struct rfs_execution;
struct rfs_harm_run;
struct rfs_pair;
struct rfs_run_result;
struct rfs_saved_run;

/* The option of racefuzzer for runs in which a postponed thread goes early. */
#define RFS_CONFIRM_HASTY "patience=1000"

const struct rfs_policy_ops *rfs_confirm_racefuzzer(void);
/* Whether the first runs of a pair, and runs of several pairs, have this option. measured: operations of the measured
 * run; 0: unknown. */
bool rfs_confirm_is_hasty(uint64_t measured);
/* Fills the execution of run i of the pair. */
void rfs_confirm_make(const struct rfs_campaign *c, const struct rfs_pair *pair, uint64_t i, struct rfs_execution *out);
/* Fills the execution of a saved run up to one of its races, in one of the two orders. Returns the policy's options in
 * it, which the caller frees after the run. */
char *rfs_confirm_order(const struct rfs_saved_run *kept, const struct rfs_harm_run *run, struct rfs_execution *out);
/* Notes all results of run i. True if the run is saved. */
bool rfs_confirm_done(struct rfs_campaign *c, struct rfs_pair *pair, uint64_t i, const struct rfs_execution *execution,
		      struct rfs_run_result *result);
/* Whether a run that created a race may be saved. Also true if the run was not of one pair only. */
bool rfs_confirm_keeps(struct rfs_campaign *c, const struct rfs_execution *execution,
		       const struct rfs_run_result *result);
/* Call when the pair has had the first half of its runs: decides what the policy does in the second half. */
void rfs_confirm_half(const struct rfs_campaign *c, struct rfs_pair *pair);
/* Moves what a run describes of statements for which there is no description yet. */
void rfs_confirm_take_stood(struct rfs_pair *pair, struct rfs_run_result *result);

#endif
