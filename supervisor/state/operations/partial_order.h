/*
 * partial_order.h - the hash of a run's partial order, and the names that it uses.
 *
 * A run without spec->wanted.orders has no partial order. For such a run, the functions with a parameter `run` do
 * nothing.
 */
#ifndef RFS_PARTIAL_ORDER_H
#define RFS_PARTIAL_ORDER_H

#include <stdint.h>

#include "disasm/addr.h"
#include "policy/operations.h"

struct rfs_thread;
struct rfs_run;
struct rfs_op;

/* Sets the thread's name. creator: NULL for a thread that no thread created. */
void rfs_name_thread(struct rfs_thread *thread, struct rfs_thread *creator);
/* Makes the name of a block that the thread allocates now. */
uint64_t rfs_name_block(struct rfs_thread *thread);
/* Starts the partial order of a run. */
void rfs_partial_order_new(struct rfs_run *run);
/* Copies the partial order. Either both runs have one, or neither has. */
void rfs_partial_order_copy(const struct rfs_run *from, struct rfs_run *to);
void rfs_partial_order_free(struct rfs_run *run);
/* Adds an executed operation. */
void rfs_partial_order_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op,
			   enum rfs_outcome outcome);
/* Adds the parent's last CREATE operation, because the thread that it created is known now. */
void rfs_partial_order_created(struct rfs_run *run, struct rfs_thread *parent, struct rfs_thread *child);
/* This memory holds new objects from now on: earlier accesses to it no longer count. */
void rfs_partial_order_reset(struct rfs_run *run, rfs_addr address, uint64_t size);
/* Completes the partial order and stores its hash in result->order. */
void rfs_partial_order_finish(struct rfs_run *run);

#endif
