/*
 * loops.h - notices threads that wait in a loop: they give up their turn again and again, and nothing that they looked
 * at has changed since the last time.
 *
 * Giving up the turn is advice to a scheduler and orders nothing. So a search must also let such a thread go on before
 * the others. But a loop that waits for another thread would then have one schedule for each number of its rounds,
 * without end. A round that finds what the round before has found leads to where it began, so it may be left out. This
 * is an assumption: values are not known here, and a loop may count its rounds.
 */
#ifndef RFS_LOOPS_H
#define RFS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/operations.h"

/* A thread that gives up its turn at one place so often is in a loop that waits, whatever it does there. */
#define RFS_LOOPS_ROUNDS 10
/* The most operations of a round in which a loop is noticed. */
#define RFS_LOOPS_LENGTH 64

struct rfs_loops_op;

/* Zeroed memory: nothing has run. rfs_loops_release() frees the memory inside. */
struct rfs_loops {
	struct rfs_loops_op *ops; /* all operations in their order */
	size_t n, capacity;
};

/* Whether a thread that executes this operation gives up its turn. */
bool rfs_loops_gives_up(const struct rfs_op *op, enum rfs_outcome outcome);
/*
 * The thread has executed the operation. True if it gives up its turn, and is at the end of a round that has changed
 * nothing and has seen no change.
 */
bool rfs_loops_ran(struct rfs_loops *loops, int thread, const struct rfs_op *op, enum rfs_outcome outcome);
void rfs_loops_release(struct rfs_loops *loops);

#endif
