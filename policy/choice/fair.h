/*
 * fair.h - which threads may run in a fair schedule (Musuvathi & Qadeer, Fair Stateless Model Checking, PLDI 2008,
 * algorithm 1).
 *
 * A thread that waits in a loop yields, sleeps or times out again and again. Without fairness, a search would make one
 * schedule for each number of rounds of such a loop, without end. So a yield in such a loop (loops.h) gives the thread
 * a lower priority than those threads that could have run since its last yield and did not. It must wait until they
 * ran. The paper does this at each yield. But a yield elsewhere is no reason to leave out a schedule.
 */
#ifndef RFS_FAIR_H
#define RFS_FAIR_H

#include <stdbool.h>
#include <stdint.h>

/* Threads with a higher number are never held back. */
#define RFS_FAIR_THREADS 64

/* Zeroed memory: no thread has run. Sets of threads have one bit for each. */
struct rfs_fair {
	uint64_t enabled;		     /* before the last operation */
	int last;			     /* the thread that executed it, plus 1; 0: none */
	uint64_t behind[RFS_FAIR_THREADS];   /* the threads that must run first */
	uint64_t able[RFS_FAIR_THREADS];     /* enabled at each choice since the last yield */
	uint64_t disabled[RFS_FAIR_THREADS]; /* disabled by an operation of this thread since then */
	uint64_t ran[RFS_FAIR_THREADS];	     /* have run since then */
	uint64_t yielded;		     /* these threads have yielded at least once */
};

/* Call before each choice: the threads that are enabled now. */
void rfs_fair_enabled(struct rfs_fair *fair, uint64_t enabled);
/* The thread has executed an operation. yields: it gave up its turn. waits: it did so in a loop that waits. */
void rfs_fair_ran(struct rfs_fair *fair, int thread, bool yields, bool waits);
/* Whether the thread must wait for another one of those that are enabled. */
bool rfs_fair_waits(const struct rfs_fair *fair, int thread);

#endif
