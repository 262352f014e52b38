/* orders.h - counts the partial orders of the runs of a sampling, and estimates how many were not seen. */
#ifndef RFS_ORDERS_H
#define RFS_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_orders_entry;

/* Zeroed: nothing counted. */
struct rfs_orders {
	struct rfs_orders_entry *map;
	uint64_t runs;
};

struct rfs_order_count {
	uint64_t hash[2]; /* rfs_run_result.order */
	uint64_t count;
};

struct rfs_orders_summary {
	uint64_t runs, distinct;
	double entropy; /* bits, of the observed distribution (Shannon 1948) */
	/* probability that the next run has an order not seen yet: orders seen once / runs (Good 1953, after Turing) */
	double new_probability;
	/* lower bound of the number of orders not seen yet: f1 (f1 - 1) / 2 (f2 + 1) with f1 orders seen once and f2
	 * seen twice (Chao 1984, from Good and Turing's estimate) */
	double unseen;
};

/* True if the order was not seen before. */
bool rfs_orders_add(struct rfs_orders *orders, const uint64_t hash[2]);
void rfs_orders_release(struct rfs_orders *orders);
struct rfs_orders_summary rfs_orders_summarise(const struct rfs_orders *orders);
/* Most frequent first, then by hash. Returns how many; the caller frees *out. */
size_t rfs_orders_list(const struct rfs_orders *orders, struct rfs_order_count **out);

#endif
