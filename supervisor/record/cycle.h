/*
 * cycle.h - a predicted deadlock: a cycle of threads. Each holds a lock that the thread before it wants. Locks and
 * sites have names that are the same in every run, so that another run can find them again.
 */
#ifndef RFS_CYCLE_H
#define RFS_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/symbols/place.h"

/* A lock, and where a thread acquires it. */
struct rfs_cycle_lock {
	uint64_t class;	       /* rfs_lock_class(); 0: any lock */
	struct rfs_place site; /* return address, or atomic instruction of a word lock; no module: no lock */
	bool word;	       /* it is a word lock; not in records */
	struct rfs_object object;
	struct rfs_place *stack; /* of a thread that was about to acquire it; not in records, no part of its name */
	size_t n_stack;		 /* 0: not known */
};

/* If `held` has no site, the previous thread waits because this thread, a writer, waits for the same lock. */
struct rfs_cycle_part {
	int thread; /* in the run that predicted the cycle */
	struct rfs_cycle_lock held, wanted;
};

struct rfs_cycle {
	struct rfs_cycle_part *parts;
	size_t n;
	bool one_thread; /* an inversion: one thread acquires two locks in both orders */
};

struct rfs_cycles {
	struct rfs_cycle *list;
	size_t n;
};

/* An order of cycles by locks and sites. Threads and objects do not matter. Negative, 0 or positive, like strcmp(). */
int rfs_cycle_compare(const struct rfs_cycle *a, const struct rfs_cycle *b);
/* If *cycle has not all stacks: takes those of `from`, which has the same locks and sites in the same order. If `from`
 * has all stacks, takes its threads too. */
void rfs_cycle_take_stacks(struct rfs_cycle *cycle, struct rfs_cycle *from);
/* Rotates the parts. All cycles with the same locks and sites then begin with the same part. */
void rfs_cycle_rotate(struct rfs_cycle *cycle);
/* Free what the argument owns, and set it to zero. */
void rfs_cycle_release(struct rfs_cycle *cycle);
void rfs_cycles_release(struct rfs_cycles *cycles);

#endif
