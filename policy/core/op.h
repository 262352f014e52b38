/* op.h - properties of operations, by kind and flags. rfs_op_name() is declared in policy.h. */
#ifndef RFS_OP_H
#define RFS_OP_H

#include <stdbool.h>

#include "policy/operations.h"

struct rfs_thread_view;

/*
 * A bit of the member statements that is set beside bit 0 or 1: the operation accesses an address at which earlier runs
 * saw the accesses of the pair meet. With a close of a descriptor under test (policy/samplers/atomicity.c), it is set
 * for that close, and alone for the other calls on its number.
 */
#define RFS_AT_ADDRESS 4u
/*
 * A bit of the member statements, of an operation of any kind: a thread with this next operation can be postponed here
 * to create the order violation under test. Bits 0 and 1 may then be set for other operations than accesses.
 */
#define RFS_AT_HELD 8u

/* The thread is a store buffer (RFS_STORE_BUFFER). A program may have so many threads that its number says too little.
 */
bool rfs_is_store_buffer(const struct rfs_thread_view *thread);
/* The operation reads or writes memory; its members access and size are set. */
bool rfs_op_is_access(enum rfs_op_kind kind);

/* The site of the operation is the instruction itself. For other operations, it is the return address of a call. */
bool rfs_op_is_instruction(enum rfs_op_kind kind);

/*
 * Whether two threads parked before these operations form a created race. Both operations access overlapping memory at
 * the two statements of the pair under test, at least one writes, and not both are atomic.
 */
bool rfs_ops_race(const struct rfs_op *a, const struct rfs_op *b);

#endif
