/* partial_order.h - the hash of a run's partial order, and the names that it uses. */
#ifndef RFS_PARTIAL_ORDER_H
#define RFS_PARTIAL_ORDER_H

#include <stdint.h>

#include "disasm/addr.h"
#include "policy/policy.h"

struct rfs_thread;
struct rfs_run;
struct rfs_op;

/* Sets the thread's name. All functions but this and the next do nothing if the run does not want its partial order. */
void rfs_name_thread(struct rfs_thread *thread, struct rfs_thread *creator);
uint64_t rfs_name_block(struct rfs_thread *thread); /* the name of the next block that the thread allocates */
/* Starts the partial order of a run. */
void rfs_partial_order_new(struct rfs_run *run);
void rfs_partial_order_copy(const struct rfs_run *from, struct rfs_run *to); /* both runs have one, or neither */
void rfs_partial_order_free(struct rfs_run *run);
/* Adds an executed operation. */
void rfs_partial_order_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op,
			   enum rfs_outcome outcome);
/* The thread that the parent's last CREATE made is known now. */
void rfs_partial_order_created(struct rfs_run *run, struct rfs_thread *parent, struct rfs_thread *child);
/* This memory gets a new life. */
void rfs_partial_order_reset(struct rfs_run *run, rfs_addr address, uint64_t size);
void rfs_partial_order_finish(struct rfs_run *run); /* fills result->order */

#endif
