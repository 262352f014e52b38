/*
 * order.h - a 128-bit hash of the partial order of one run: the happens-before relation over dependent operations
 * (dependence.h). Equal for all linearisations of one partial order, and, but for hash collisions, for no others.
 *
 * Every operation gets a hash of what it is and of all operations right before it that it depends on: the one before in
 * its thread, and, of everything that it touches, the last ones whose effect does not commute with its own. The hash of
 * the run is the sum of those: a sum does not tell in which order independent operations came.
 *
 * Addresses and numbers of threads say only, within one run, which operations touch the same thing. What goes into the
 * hash is names that the caller gives, which must mean the same in every run: a thread by its creator's name and its
 * place among that one's children, an object by its static symbol, or by thread, index and offset of its allocation.
 */
#ifndef RFS_ORDER_H
#define RFS_ORDER_H

#include "policy/policy.h"

struct rfs_order_hash {
	uint64_t low, high;
};

/* Canonical names of what an operation mentions; 0 where it mentions none. */
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

/* This memory got a new life: what follows in it has nothing to do with what was there before. */
void rfs_order_reset(struct rfs_order *order, rfs_addr address, uint64_t size);

/* Of all operations so far. */
struct rfs_order_hash rfs_order_get(const struct rfs_order *order);

#endif
