/*
 * dependence.h - which two operations depend on each other: executed next to each other, in the other order they would
 * lead elsewhere, or one of them may enable or disable the other (Sen, ASE 2007, section 2.2; Mazurkiewicz traces).
 *
 * Every operation is taken apart into what it touches, each with an effect. Two effects on the same thing commute only
 * if they are equal and no WRITE. So two readers of a lock, or two posts of a semaphore, are independent; a reader and
 * a post are not. The table over the kinds is in dependence.c; the hash of a partial order (order.h) is built on the
 * same touches, so that policies and reports cannot disagree.
 */
#ifndef RFS_DEPENDENCE_H
#define RFS_DEPENDENCE_H

#include "policy/policy.h"

enum rfs_effect {
	RFS_EFFECT_NONE,
	RFS_EFFECT_READ,  /* commutes with READ */
	RFS_EFFECT_ADD,	  /* commutes with ADD: tokens of a semaphore */
	RFS_EFFECT_WRITE, /* commutes with nothing */
};

enum rfs_touch_space {
	RFS_SPACE_MEMORY,  /* address, size: bytes of the target */
	RFS_SPACE_OBJECT,  /* address: of a lock, condition variable, semaphore, …; a free affects all objects in its
			      range */
	RFS_SPACE_TURN,	   /* address: number of a thread, whose operations stay in program order */
	RFS_SPACE_LIFE,	   /* address: number of a thread: create, start, exit, join */
	RFS_SPACE_OUTSIDE, /* system calls that may block: pipes, sockets, …; which of them meet is unknown */
	RFS_SPACE_WORLD,   /* signals without a particular receiver */
};

struct rfs_touch {
	enum rfs_touch_space space;
	enum rfs_effect effect; /* never NONE */
	rfs_addr address;
	uint64_t size; /* > 0; ranges of one space meet if they overlap */
};

#define RFS_TOUCHES_MAX 8

/*
 * What the operation of this thread touches; returns how many. A CREATE touches the life of its child only if op->peer
 * is set to the child, which is unknown before the operation ran.
 */
size_t rfs_touches(int thread, const struct rfs_op *op, struct rfs_touch out[RFS_TOUCHES_MAX]);

bool rfs_dependent(int thread_a, const struct rfs_op *a, int thread_b, const struct rfs_op *b);

#endif
