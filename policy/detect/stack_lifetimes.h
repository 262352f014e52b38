/*
 * stack_lifetimes.h - predicts uses of a thread's stack after the thread has ended, from the events of one run.
 *
 * A thread may pass on the address of a local variable. If another thread accessed this memory before the thread ended,
 * and no message (thread start and end, signals, posts) made this order, the end could come first. The order of locks
 * does not count.
 *
 * The access may be under a lock that the ending thread must still acquire. If the accessing thread were postponed at
 * the access, it would hold the lock, and the ending thread could not end. So it is postponed before it has the lock.
 *
 * Of several accesses in a row, the first one counts: the end can come before all of them. After a lock, a message or
 * an atomic access, another one counts, because these may be what the ending thread waits for.
 *
 * The stack of the program's first thread is left out: it remains until the process ends.
 */
#ifndef RFS_STACK_LIFETIMES_H
#define RFS_STACK_LIFETIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/detect/life_uses.h"
#include "policy/operations.h"

struct rfs_access;
struct atom_run;

/* The stack of a thread: the addresses from low to high - 1. */
struct rfs_thread_stack {
	int thread;
	rfs_site site; /* names the end of the thread: its start routine plus 1; 0: not known */
	rfs_addr low, high;
};

/* Zeroed memory: no stacks. */
struct rfs_stack_lifetimes {
	struct rfs_life_uses lives;    /* by the number of the thread */
	struct rfs_thread_stack *list; /* of the threads that have not ended, ascending by address */
	size_t n, capacity;
	rfs_addr low, high; /* no stack so far was outside */
};

/* The thread begins. */
void rfs_stack_lifetimes_begin(struct atom_run *run, struct rfs_stack_lifetimes *stacks,
			       const struct rfs_thread_stack *stack);
/* The stack that has the address, and is another thread's; NULL: there is none. Borrowed until a thread begins or ends.
 */
const struct rfs_thread_stack *rfs_stack_lifetimes_find(const struct rfs_stack_lifetimes *stacks, int thread,
							rfs_addr address);
/* The thread makes an access, perhaps to another thread's stack. */
void rfs_stack_lifetimes_use(struct atom_run *run, struct rfs_stack_lifetimes *stacks, int thread,
			     const struct rfs_access *access);
/* The thread acquires a lock. */
void rfs_stack_lifetimes_acquire(struct rfs_stack_lifetimes *stacks, const struct rfs_event *event);
/* The thread ends. */
void rfs_stack_lifetimes_end(struct atom_run *run, struct rfs_stack_lifetimes *stacks, int thread);
void rfs_stack_lifetimes_release(struct rfs_stack_lifetimes *stacks);

/* False if the address is surely on no stack. */
static inline bool rfs_stack_lifetimes_may_have(const struct rfs_stack_lifetimes *stacks, rfs_addr address)
{
	return address - stacks->low < stacks->high - stacks->low;
}

#endif
