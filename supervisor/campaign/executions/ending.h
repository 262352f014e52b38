/*
 * ending.h - the end of a campaign under a budget: what was found is replayed, tested and simplified.
 *
 * Each step has a deadline, so that a long test leaves time for the steps after it. What is not done in time is counted
 * for the report.
 */
#ifndef RFS_ENDING_H
#define RFS_ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct rfs_campaign;

/* What was left out, because there was no time. */
struct rfs_ending {
	double deadline; /* of the step in progress; 0: only that of the campaign */
	uint64_t tests;	 /* runs that show whether a race causes a failure */
	uint64_t stacks; /* runs that get the stacks of pairs that were not created */
	uint64_t stories;
};

/* Begins a step that must end this many seconds after the campaign has begun. 0: the last step, or no budget. */
void rfs_ending_until(struct rfs_campaign *c, double seconds);
/* True if no more runs may be made in this step. */
bool rfs_ending_over(const struct rfs_campaign *c);

#endif
