/* lock_order-priv.h - the lock graph of a run, and where its threads are in the cycle under test. */
#ifndef RFS_LOCK_ORDER_PRIV_H
#define RFS_LOCK_ORDER_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/core/cycle_place.h"
#include "policy/operations.h"

struct rfs_lock_graph;
struct rfs_run;
struct rfs_place;

/* A thread that holds more locks than this does not count as a holder of the others. */
#define HELD_MAX 64

/* A stack at which a thread was about to acquire a lock. */
struct lock_stack {
	rfs_addr lock; /* 0: none */
	struct rfs_place *stack;
	size_t n;
};

/* Where a thread is in the cycle, and for which of its operations that was computed. */
struct thread_place {
	bool known;
	uint64_t operations;
	enum rfs_op_kind kind;
	struct rfs_cycle_place place;
	rfs_addr held[HELD_MAX];
	struct lock_stack outer; /* if spec->wanted.stood: at its last request for an outer lock */
};

struct rfs_lock_order {
	struct rfs_lock_graph *graph;
	uint64_t (*class_of)(const struct rfs_run *run, rfs_addr lock);
	struct thread_place **places; /* by thread */
	size_t n_places;
	/* If spec->wanted.stood: for each part of the cycle, the thread that is described, plus 1, and its two locks.
	 */
	struct {
		int thread;
		rfs_addr held, wanted;
	} * described;
	unsigned n_looks; /* how many stacks were taken */
};

#endif
