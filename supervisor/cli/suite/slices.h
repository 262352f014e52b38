/* slices.h - which test has the next turn, and how long it is. Pure functions of counts and seconds. */
#ifndef RFS_SUITE_SLICES_H
#define RFS_SUITE_SLICES_H

#include <stdbool.h>
#include <stddef.h>

/* What is known of a test with threads. */
struct rfs_turn {
	bool waits;	    /* it can have a turn now */
	bool open;	    /* something is left to try */
	bool first;	    /* it had a finding before; so its first turn is before those of others */
	unsigned made;	    /* turns */
	double seconds;	    /* of all turns */
	unsigned untried;   /* predictions without a run */
	unsigned long left; /* planned runs that were not made */
	unsigned long cut;  /* runs that the end of the turn has cut short; the journal has them as they are */
	unsigned long runs; /* that were made */
};

/* The turn that is next; n: none can be made. Each test has one turn before any has two. */
size_t rfs_turn_next(const struct rfs_turn *turns, size_t n);
/*
 * Its length in seconds. left: of the budget. jobs: tests that run at the same time. 0: the budget is too small for
 * another turn.
 */
double rfs_turn_seconds(const struct rfs_turn *turns, size_t n, size_t next, double left, unsigned jobs);

#endif
