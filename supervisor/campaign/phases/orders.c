/* orders.c - counts hashes of orders, and estimates the unseen ones from those that were seen once or twice. */
#include "supervisor/campaign/phases/orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"

struct rfs_orders_entry {
	struct rfs_order_count order; /* order.hash: key */
	UT_hash_handle hh;
};

bool rfs_orders_add(struct rfs_orders *orders, const uint64_t hash[2])
{
	struct rfs_orders_entry *entry;

	orders->runs++;
	HASH_FIND(hh, orders->map, hash, 2 * sizeof(*hash), entry);
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		memcpy(entry->order.hash, hash, sizeof(entry->order.hash));
		HASH_ADD(hh, orders->map, order.hash, sizeof(entry->order.hash), entry);
	}
	return ++entry->order.count == 1;
}

void rfs_orders_release(struct rfs_orders *orders)
{
	struct rfs_orders_entry *entry, *next;

	HASH_ITER (hh, orders->map, entry, next) {
		HASH_DEL(orders->map, entry);
		free(entry);
	}
	*orders = (struct rfs_orders){0};
}

struct rfs_orders_summary rfs_orders_summarise(const struct rfs_orders *orders)
{
	struct rfs_orders_summary summary = {.runs = orders->runs, .distinct = HASH_COUNT(orders->map)};
	double once = 0, twice = 0;

	if (!orders->runs)
		return summary;
	for (const struct rfs_orders_entry *entry = orders->map; entry; entry = entry->hh.next) {
		double share = (double)entry->order.count / (double)orders->runs;

		summary.entropy -= share * log2(share);
		once += entry->order.count == 1;
		twice += entry->order.count == 2;
	}
	summary.entropy = fabs(summary.entropy); /* the sum is -0 if there is only one order */
	summary.new_probability = once / (double)orders->runs;
	summary.unseen = once > 0 ? once * (once - 1) / (2 * (twice + 1)) : 0;
	return summary;
}

static int orders_compare(const void *a, const void *b)
{
	const struct rfs_order_count *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	for (int i = 0; i < 2; i++)
		if (x->hash[i] != y->hash[i])
			return x->hash[i] < y->hash[i] ? -1 : 1;
	return 0;
}

size_t rfs_orders_list(const struct rfs_orders *orders, struct rfs_order_count **out)
{
	size_t n = 0;

	*out = xcalloc(HASH_COUNT(orders->map) + 1, sizeof(**out));
	for (const struct rfs_orders_entry *entry = orders->map; entry; entry = entry->hh.next)
		(*out)[n++] = entry->order;
	qsort(*out, n, sizeof(**out), orders_compare);
	return n;
}
