/*
 * order.h - a 128-bit hash of the partial order of one run: its operations, with the order of dependent ones
 * (dependence.h). All linearisations of one partial order have the same hash. Others have different hashes, except for
 * collisions.
 *
 * Each operation gets a hash of itself and of its direct predecessors. These are the previous operation of its thread,
 * and for each thing that it touches, the last operations whose effects do not commute with its own. The hash of the
 * run is the sum of these hashes, because a sum does not depend on the order of independent operations.
 *
 * Addresses and thread numbers only say which operations of one run touch the same thing. They are not hashed, because
 * they may differ between runs. The caller gives names that are the same in every run, for example: a thread by the
 * name of its creator and its index among the creator's children; an object by its static symbol, or by thread, index
 * and offset of its allocation.
 */
#ifndef RFS_ORDER_H
#define RFS_ORDER_H

#include "policy/operations.h"

struct rfs_order_hash {
	uint64_t low, high;
};

/* Names of the thread and objects of an operation that are the same in every run; 0 if the operation has none. */
struct rfs_order_names {
	uint64_t thread, object, object2, peer;
};

struct rfs_order;

struct rfs_order *rfs_order_new(void);				 /* caller frees with rfs_order_free() */
struct rfs_order *rfs_order_copy(const struct rfs_order *order); /* caller frees with rfs_order_free() */
void rfs_order_free(struct rfs_order *order);

/* Adds an operation that the thread has executed. op->peer of a CREATE must already be the child. */
void rfs_order_add(struct rfs_order *order, int thread, const struct rfs_op *op, enum rfs_outcome outcome,
		   const struct rfs_order_names *names);

/* This memory has a new use: later operations on it do not depend on earlier ones. */
void rfs_order_reset(struct rfs_order *order, rfs_addr address, uint64_t size);

/* The hash of all operations so far. */
struct rfs_order_hash rfs_order_get(const struct rfs_order *order);

#endif
