/*
 * explore.h - phase explore: runs under one or several samplers. rounds.c decides which sampler has how many.
 *
 * It finds failures and deadlocks that need no data race, such as an atomic section that is not atomic, or an order
 * that the program relies on but does not enforce. A part of the runs has a detector, because the few runs of phase
 * predict do not show all pairs.
 */
#ifndef RFS_EXPLORE_H
#define RFS_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_campaign;
struct rfs_execution;
struct rfs_run_result;
struct rfs_sampling;
struct rfs_site_set;

/* Makes the samplings of the phase, and shares its runs among them. */
void rfs_explore_begin(struct rfs_campaign *c);
/* Fills the execution of run i of the sampler. sites: where threads may be switched; they must live as long as the
 * campaign. */
void rfs_explore_make(const struct rfs_campaign *c, const struct rfs_sampling *sampling, uint64_t i,
		      const struct rfs_site_set *sites, struct rfs_execution *out);
/* Notes all results of run i. True if the run is saved. */
bool rfs_explore_done(struct rfs_campaign *c, struct rfs_sampling *sampling, uint64_t i,
		      const struct rfs_execution *execution, struct rfs_run_result *result);

#endif
