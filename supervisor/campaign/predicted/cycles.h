/*
 * cycles.h - the predicted deadlocks of a campaign, and their runs in phase confirm. Each run is under the policy
 * deadlock, which tries to create one of them. A deadlock that was created is a finding (finding.h), and gets no more
 * runs.
 */
#ifndef RFS_CAMPAIGN_CYCLES_H
#define RFS_CAMPAIGN_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/campaign/decisions/arm.h"
#include "supervisor/record/cycle.h"

struct rfs_campaign;
struct rfs_execution;
struct rfs_run_result;

struct rfs_predicted_cycle {
	struct rfs_cycle cycle;
	char *label; /* "deadlock-1"; part of the names of its files */
	struct rfs_arm arm;
	size_t suppressed; /* as of a pair */
	uint64_t runs;	   /* runs that ended by themselves */
	uint64_t created;  /* runs that ended in this deadlock */
	uint64_t timeouts; /* runs that timed out */
};

/* Zeroed: no cycles. They are never removed and stay at their address, because specs of saved runs point to them. */
struct rfs_cycle_list {
	struct rfs_predicted_cycle **list;
	size_t n, n_settled;
	bool cut; /* a run predicted more than it could search */
};

/* Adds the cycles that a run predicted; new ones are moved out of the result. */
void rfs_cycle_list_join(struct rfs_cycle_list *cycles, struct rfs_run_result *result);
/* Adds a cycle that the user named, and takes over what it owns. */
void rfs_cycle_list_add(struct rfs_cycle_list *cycles, struct rfs_cycle *cycle);
/* Gives new cycles their labels. Their order does not depend on the order in which runs ended. */
void rfs_cycle_list_settle(struct rfs_cycle_list *cycles);
/* Whether the cycle has runs left. */
bool rfs_cycle_is_open(const struct rfs_predicted_cycle *cycle);
/* Fills the execution of run i of the cycle. */
void rfs_cycle_make(const struct rfs_campaign *c, const struct rfs_predicted_cycle *cycle, uint64_t i,
		    struct rfs_execution *out);
/* Notes all results of a run. True if the run is saved. */
bool rfs_cycle_done(struct rfs_campaign *c, struct rfs_predicted_cycle *cycle, const struct rfs_execution *execution,
		    struct rfs_run_result *result);
void rfs_cycle_list_release(struct rfs_cycle_list *cycles);

#endif
