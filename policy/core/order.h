/*
 * order.h - a 128-bit hash of the partial order of one run: the happens-before relation over dependent operations
 * (dependence.h). It is equal for all linearisations of one partial order, and different for others, except for hash
 * collisions.
 *
 * Every operation gets a hash of itself and of its direct predecessors: the previous operation of its thread and, for
 * everything that it touches, the last operations whose effect does not commute with its own. The hash of the run is
 * their sum, because a sum does not depend on the order of independent operations.
 *
 * Addresses and numbers of threads only tell which operations of one run touch the same object. The hash is made of
 * names from the caller, which must mean the same in every run: a thread by its creator's name and its place among that
 * one's children, an object by its static symbol, or by thread, index and offset of its allocation.
 */
#ifndef RFS_ORDER_H
#define RFS_ORDER_H

#include "policy/policy.h"

struct rfs_order_hash {
	uint64_t low, high;
};

/* Canonical names of the objects of an operation; 0 if it has none. */
struct rfs_order_names {
	uint64_t thread, object, object2, peer;
};

struct rfs_order;

struct rfs_order *rfs_order_new(void);				 /* rfs_order_free() */
struct rfs_order *rfs_order_copy(const struct rfs_order *order); /* the same */
void rfs_order_free(struct rfs_order *order);

/* The thread executed the operation. The peer of a CREATE must be known. */
void rfs_order_add(struct rfs_order *order, int thread, const struct rfs_op *op, enum rfs_outcome outcome,
		   const struct rfs_order_names *names);

/* This memory is used for something new: later operations in it do not depend on earlier ones. */
void rfs_order_reset(struct rfs_order *order, rfs_addr address, uint64_t size);

/* The hash of all operations so far. */
struct rfs_order_hash rfs_order_get(const struct rfs_order *order);

#endif
