#ifndef RFS_PARTIAL_ORDER_H
#define RFS_PARTIAL_ORDER_H

#include <stdint.h>

#include "disasm/addr.h"
#include "policy/policy.h"

struct rfs_thread;
struct rfs_run;
struct rfs_op;

/* partial_order.c. All but the names do nothing where the partial order is not asked for. */
void rfs_name_thread(struct rfs_thread *thread, struct rfs_thread *creator);
uint64_t rfs_name_block(struct rfs_thread *thread); /* of the next block that the thread allocates */
void rfs_partial_order_new(struct rfs_run *run);
void rfs_partial_order_copy(const struct rfs_run *from, struct rfs_run *to); /* both have one, or none */
void rfs_partial_order_free(struct rfs_run *run);
void rfs_partial_order_add(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_op *op,
			   enum rfs_outcome outcome);
void rfs_partial_order_created(struct rfs_run *run, struct rfs_thread *parent, struct rfs_thread *child);
void rfs_partial_order_reset(struct rfs_run *run, rfs_addr address, uint64_t size);
void rfs_partial_order_finish(struct rfs_run *run); /* fills result->order */

#endif
