/* oracle.c - all ways to merge the calls of the two suffixes, as strings of 1 and 2. */
#include "supervisor/generate/tests/oracle.h"

#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/tests/sequence.h"

struct orders {
	char (*list)[RFS_ORDER_MAX + 1];
	size_t n;
	char now[RFS_ORDER_MAX + 1];
};

/* left: calls that are not in `now` yet. */
static void add_orders(struct orders *orders, size_t at, size_t left_first, size_t left_second)
{
	if (left_first + left_second == 0) {
		orders->now[at] = '\0';
		orders->list = xreallocarray(orders->list, orders->n + 1, sizeof(*orders->list));
		strcpy(orders->list[orders->n++], orders->now);
		return;
	}
	if (left_first) {
		orders->now[at] = '1';
		add_orders(orders, at + 1, left_first - 1, left_second);
	}
	if (left_second) {
		orders->now[at] = '2';
		add_orders(orders, at + 1, left_first, left_second - 1);
	}
}

size_t rfs_linearisations(const struct rfs_sequence *test, char (**out)[RFS_ORDER_MAX + 1])
{
	struct orders orders = {0};

	if (test->n[RFS_SUFFIX_1] + test->n[RFS_SUFFIX_2] <= RFS_ORDER_MAX)
		add_orders(&orders, 0, test->n[RFS_SUFFIX_1], test->n[RFS_SUFFIX_2]);
	*out = orders.list;
	return orders.n;
}
