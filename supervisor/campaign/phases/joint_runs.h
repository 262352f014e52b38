/*
 * joint_runs.h - runs that try many pairs at once, before single ones are tried: predicted ones, or reports of other
 * tools. Only under a budget: it may have less runs than there are pairs.
 *
 * A group of pairs is under test as one pair: its statements are all first ones and all second ones. RaceFuzzer creates
 * what it meets, and the run lists the sites of each race that it created. A pair that a joint run has created has its
 * own runs first, because a verdict needs a run that shows this race. The others have had a try.
 */
#ifndef RFS_JOINT_RUNS_H
#define RFS_JOINT_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "supervisor/base/siteset.h"
#include "supervisor/record/run_spec.h"

struct rfs_campaign;
struct rfs_pair;

/* So many pairs are tried at once. More of them would mostly keep each other's threads waiting. */
#define RFS_JOINT_PAIRS 24

struct rfs_joint_group {
	char *label; /* "joint-2" */
	struct rfs_pair *pairs[RFS_JOINT_PAIRS];
	size_t n;
	struct rfs_site_set sites[2];	      /* of all first statements, and of all second ones */
	struct rfs_statement_pair statements; /* these sets */
};

/* Zeroed: none. Groups stay at their address, because specs of saved runs point to them. */
struct rfs_joint_runs {
	struct rfs_joint_group **groups;
	size_t n;
};

/* Makes the runs, if there is a budget and some pairs have no verdict yet. */
void rfs_joint_runs_make(struct rfs_campaign *c);
/* How many joint runs tried the pair, if none of them created it; otherwise 0. */
uint64_t rfs_joint_runs_in_vain(const struct rfs_pair *pair);
void rfs_joint_runs_release(struct rfs_joint_runs *joint);

#endif
