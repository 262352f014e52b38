/*
 * dependence.h - says whether two operations depend on each other (Sen, ASE 2007, section 2.2; Mazurkiewicz traces).
 * They do if swapping two adjacent ones could lead to another state, or if one may enable or disable the other.
 *
 * Each operation is split into touches: a thing (memory, object, thread and so on) and an effect on it. Two effects on
 * the same thing commute only if they are equal and not WRITE. So two readers of a lock, or two posts of a semaphore,
 * are independent. A reader and a post are not.
 *
 * The table of effects by kind of operation is in dependence.c. The hash of a partial order (order.h) uses the same
 * touches, so policies and reports agree on what depends.
 */
#ifndef RFS_DEPENDENCE_H
#define RFS_DEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

enum rfs_effect {
	RFS_EFFECT_NONE,
	RFS_EFFECT_READ,  /* commutes with READ */
	RFS_EFFECT_ADD,	  /* commutes with ADD: adds a token to a semaphore, or a thread to a barrier */
	RFS_EFFECT_WRITE, /* commutes with nothing */
};

enum rfs_touch_space {
	RFS_SPACE_MEMORY,  /* address, size: bytes of the target's memory */
	RFS_SPACE_OBJECT,  /* address: that of a lock, condition variable, semaphore, …; a free touches all objects in
			      its range */
	RFS_SPACE_TURN,	   /* address: the number of a thread; keeps the operations of that thread in program order */
	RFS_SPACE_LIFE,	   /* address: the number of a thread that is created, starts, ends or is joined */
	RFS_SPACE_OUTSIDE, /* system calls that may block, on pipes, sockets, …; rfsup does not know which of them
			      affect each other */
	RFS_SPACE_WORLD,   /* signals whose receiving thread is unknown */
};

struct rfs_touch {
	enum rfs_touch_space space;
	enum rfs_effect effect; /* never NONE */
	rfs_addr address;
	uint64_t size; /* not 0; two touches are of the same thing if their ranges in one space overlap */
};

#define RFS_TOUCHES_MAX 8

/*
 * Writes what this operation of the thread touches to out and returns how many touches. The child of a CREATE is
 * unknown before the operation has run. Until op->peer is set to the child, CREATE does not touch its life.
 */
size_t rfs_touches(int thread, const struct rfs_op *op, struct rfs_touch out[RFS_TOUCHES_MAX]);

/* Whether two operations depend on each other, by what they touch. */
bool rfs_touches_conflict(const struct rfs_touch *a, size_t n_a, const struct rfs_touch *b, size_t n_b);
bool rfs_dependent(int thread_a, const struct rfs_op *a, int thread_b, const struct rfs_op *b);

#endif
