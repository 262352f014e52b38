/* orders.h - counts which partial orders the runs of a sampling had, and estimates how many were not seen. */
#ifndef RFS_ORDERS_H
#define RFS_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_orders_entry;

/* The counts of all runs so far. Zeroed: no run. */
struct rfs_orders {
	struct rfs_orders_entry *map;
	uint64_t runs;
};

struct rfs_order_count {
	uint64_t hash[2]; /* the member order of struct rfs_run_result */
	uint64_t count;
};

struct rfs_orders_summary {
	uint64_t runs, distinct;
	double entropy; /* of the observed distribution, in bits (Shannon 1948) */
	/*
	 * The probability that the next run has an order not seen yet: f1 / runs, if f1 orders were seen once (Good
	 * 1953, after Turing).
	 */
	double new_probability;
	/*
	 * A lower bound of the number of orders not seen yet: f1 (f1 - 1) / 2 (f2 + 1), if f2 orders were seen twice
	 * (Chao 1984).
	 */
	double unseen;
};

/* True if the order was not seen before. */
bool rfs_orders_add(struct rfs_orders *orders, const uint64_t hash[2]);
void rfs_orders_release(struct rfs_orders *orders);
struct rfs_orders_summary rfs_orders_summarise(const struct rfs_orders *orders);
/*
 * Lists the orders, the most frequent order first. Orders that are equally frequent are sorted by hash. Returns their
 * number; the caller frees *out.
 */
size_t rfs_orders_list(const struct rfs_orders *orders, struct rfs_order_count **out);

#endif
