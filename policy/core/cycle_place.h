/* cycle_place.h - where a parked thread is in the deadlock under test. This is a cycle of threads: each wants a lock
 * that the next one holds. A part of the cycle says what one of its threads holds and wants. */
#ifndef RFS_CYCLE_PLACE_H
#define RFS_CYCLE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

/* No cycle has more parts, so that parts fit into bits. */
#define RFS_CYCLE_PARTS_MAX 16

/* Bit i of a set of parts is part i. The thread of part i wants a lock of the thread of part i + 1. The last thread
 * wants a lock of the first one. */
struct rfs_cycle_place {
	unsigned n_parts; /* of the whole cycle */
	unsigned outer;	  /* parts whose outer lock the thread is about to acquire */
	unsigned inner;	  /* parts whose outer lock it holds, and whose inner lock it is about to acquire */
	unsigned behind;  /* parts of writers: the previous thread waits because this one waits for the same lock */
	rfs_addr wanted;  /* what it is about to acquire */
	const rfs_addr *held;
	size_t n_held;
};

#endif
