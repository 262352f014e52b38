/*
 * arms.h - what the arms of a campaign are of: pairs, predicted deadlocks, predicted atomicity violations and samplers.
 * Makes and counts a run of any of them, and makes arms of what was predicted.
 */
#ifndef RFS_CAMPAIGN_ARMS_H
#define RFS_CAMPAIGN_ARMS_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_arm;
struct rfs_campaign;
struct rfs_execution;
struct rfs_pair;
struct rfs_phase;
struct rfs_predicted_cycle;
struct rfs_predicted_violation;
struct rfs_run_result;
struct rfs_sampling;
struct rfs_site_set;

/* An arm, and what its runs are of: one of the others is not NULL. */
struct rfs_armed {
	struct rfs_arm *arm;
	struct rfs_pair *pair;
	struct rfs_predicted_cycle *cycle;
	struct rfs_predicted_violation *violation;
	struct rfs_sampling *sampling;
};

/* Fills the execution of run i. sites: where threads of a sampler's runs may be switched. */
void rfs_armed_make(const struct rfs_campaign *c, const struct rfs_armed *armed, uint64_t i,
		    const struct rfs_site_set *sites, struct rfs_execution *out);
/* Notes all results of run i. True if the run is saved. */
bool rfs_armed_done(struct rfs_campaign *c, const struct rfs_armed *armed, uint64_t i,
		    const struct rfs_execution *execution, struct rfs_run_result *result);

/* Gives pairs that are no arms yet their rank, and their number in their group. */
void rfs_arms_rank(struct rfs_campaign *c);
/* Settles what was predicted, and makes arms of what has none yet. confirm: the phase, which counts their planned runs.
 * True if something was new. */
bool rfs_arms_add(struct rfs_campaign *c, struct rfs_phase *confirm);
/* Under a budget, pairs whose first turn taught nothing wait until the others had more turns. */
void rfs_arms_wait(struct rfs_campaign *c);
/* Deadlocks that were created and violations that have failed get no more runs. */
void rfs_arms_end(struct rfs_campaign *c, struct rfs_phase *confirm);

#endif
