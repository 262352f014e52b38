/* waiters.h - threads, where they are, what they wait for and which locks they hold: plain data. */
#ifndef RFS_WAITERS_H
#define RFS_WAITERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"
#include "supervisor/symbols/place.h"

/* Where a thread acquired a lock. */
struct rfs_acquisition {
	uint64_t step;		 /* as in struct rfs_hold */
	struct rfs_place *stack; /* innermost first; empty: not known */
	size_t n_stack;
};

/* A thread, what it waits for, and which locks it holds. */
struct rfs_waiter {
	int thread;
	unsigned process; /* of the thread; 0: the program, otherwise one that the program has forked */
	int handler;	  /* the thread is the handler of this signal; 0: it is none */
	enum rfs_op_kind operation;
	int call; /* number of the system call that it is in or about to make; -1: none */
	struct rfs_object waits_for;
	int for_thread; /* the thread that holds the object or is joined; -1: unknown */
	struct rfs_object *holds;
	size_t n_holds;
	struct rfs_acquisition *acquired; /* of the first locks that it holds */
	size_t n_acquired;
	struct rfs_place *stack;
	size_t n_stack;
};

struct rfs_waiters {
	struct rfs_waiter *list;
	size_t n;
};

/* Whether the thread waits for another one of the list: for its end, or for a lock that it holds. */
bool rfs_waits_for_another(const struct rfs_waiters *waiters, const struct rfs_waiter *waiter);
/*
 * Whether the thread is one of a cycle, each of which waits for the next one (RFS_WAITS_IN), or waits for a thread of
 * such a cycle, directly or through others (RFS_WAITS_OUTSIDE).
 */
enum rfs_waits_cycle {
	RFS_WAITS_NONE,
	RFS_WAITS_IN,
	RFS_WAITS_OUTSIDE,
};
enum rfs_waits_cycle rfs_waits_cycle(const struct rfs_waiters *waiters, const struct rfs_waiter *waiter);

/* Frees what the list owns. */
void rfs_waiters_release(struct rfs_waiters *waiters);

#endif
