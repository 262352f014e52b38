/*
 * generate_small.h - random programs for the model machine that are so small that a test can execute all their
 * schedules (schedules.h).
 */
#ifndef RFS_TEST_GENERATE_SMALL_H
#define RFS_TEST_GENERATE_SMALL_H

#include "tests/policy/model.h"

#define SMALL_BODIES 4
#define SMALL_OPS 32

/*
 * Two or three threads access three words, and use two mutexes, a readers-writer lock, a condition variable, a
 * semaphore and a barrier. They try locks, wait for locks and signals with a timeout, yield and sleep. A program may
 * fail or deadlock, but it ends under every schedule, because only counted loops go back. In half of the programs,
 * thread 0 creates the others, and may join them. In the other half, all exist from the beginning.
 */
struct small_program {
	struct model_op ops[SMALL_BODIES][SMALL_OPS];
	struct model_body bodies[SMALL_BODIES];
	struct model_program program; /* has pointers into this struct: do not copy the struct */
};

/*
 * Makes the program of this seed. Each thread gives up its turn at most so many times: it yields, sleeps, waits with a
 * timeout, or tries a lock that another thread has.
 */
void generate_small(struct small_program *out, uint64_t seed, unsigned max_yields);

#endif
