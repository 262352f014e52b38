/* op.h - classes of operations, by their kind and flags. Their names: rfs_op_name(), policy.h. */
#ifndef RFS_OP_H
#define RFS_OP_H

#include "policy/policy.h"

/* Reads or writes memory: access and size are set. */
bool rfs_op_is_access(enum rfs_op_kind kind);

/* The site of the operation is the instruction itself; for other operations, it is the return address of a call. */
bool rfs_op_is_instruction(enum rfs_op_kind kind);

/*
 * Two threads parked before these operations are a created race: accesses at the two statements of the pair under test
 * that overlap, of which one writes and not both are atomic.
 */
bool rfs_ops_race(const struct rfs_op *a, const struct rfs_op *b);

#endif
