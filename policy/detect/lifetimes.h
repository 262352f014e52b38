/*
 * lifetimes.h - predicts uses of an object after its end, from the events of one run.
 *
 * An object is a lock, a condition variable, a semaphore or a barrier. It ends when it is destroyed, or when the block
 * that contains it is freed. If a thread used it before another thread ended it, and no message (thread start and end,
 * signals, posts, barriers) made this order, the end could come first. The order of locks does not count: a lock cannot
 * protect itself from its end.
 *
 * For each object, the last uses are kept, one for each thread and place. An unlock does not count, because the thread
 * has locked before. The end of a wait does not count either: a barrier or a condition variable may be destroyed as
 * soon as its threads were woken.
 */
#ifndef RFS_LIFETIMES_H
#define RFS_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/core/pagemap.h"
#include "policy/detect/life_uses.h"
#include "policy/operations.h"

struct rfs_access;
struct atom_run;

/* What atomicity.c keeps. Zeroed memory: no objects. */
struct rfs_lifetimes {
	struct rfs_life_uses objects; /* by address */
	struct rfs_pagemap pages;     /* pages that have had objects, so that most frees need no search */
};

/* The thread has executed an operation. Other operations than those of objects are ignored. */
void rfs_lifetimes_op(struct atom_run *run, struct rfs_lifetimes *lifetimes, const struct rfs_event *event);
/* The thread frees this memory. */
void rfs_lifetimes_free(struct atom_run *run, struct rfs_lifetimes *lifetimes, int thread,
			const struct rfs_access *access);
/* The memory gets a new use. */
void rfs_lifetimes_reset(struct atom_run *run, struct rfs_lifetimes *lifetimes, rfs_addr address, uint64_t size);
void rfs_lifetimes_release(struct rfs_lifetimes *lifetimes);

#endif
