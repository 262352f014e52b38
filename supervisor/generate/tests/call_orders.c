/* call_orders.c - counts of right and wrong calls, for each function and the one before it. */
#include "supervisor/generate/tests/call_orders.h"

#include <stdint.h>
#include <stdlib.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"

struct call_order {
	struct {
		size_t before, function;
	} key;
	uint64_t right, wrong;
	UT_hash_handle hh;
};

struct rfs_call_orders {
	struct call_order *orders;
};

struct rfs_call_orders *rfs_call_orders_new(void)
{
	return xcalloc(1, sizeof(struct rfs_call_orders));
}

void rfs_call_orders_free(struct rfs_call_orders *orders)
{
	struct call_order *order, *next;

	HASH_ITER (hh, orders->orders, order, next) {
		HASH_DEL(orders->orders, order);
		free(order);
	}
	free(orders);
}

static struct call_order *find_order(const struct rfs_call_orders *orders, size_t before, size_t function)
{
	struct call_order key = {.key = {before, function}}, *found;

	HASH_FIND(hh, orders->orders, &key.key, sizeof(key.key), found);
	return found;
}

void rfs_call_orders_note(struct rfs_call_orders *orders, size_t before, size_t function, bool right)
{
	struct call_order *order = find_order(orders, before, function);

	if (!order) {
		order = xcalloc(1, sizeof(*order));
		order->key.before = before;
		order->key.function = function;
		HASH_ADD(hh, orders->orders, key, sizeof(order->key), order);
	}
	order->right += right;
	order->wrong += !right;
}

static bool is_on(const struct rfs_sequence_call *call, int object)
{
	for (size_t i = 0; i < call->n_values; i++)
		if (call->values[i].kind == RFS_VALUE_VARIABLE && call->values[i].integer == object)
			return true;
	return false;
}

size_t rfs_call_orders_last(const struct rfs_sequence *sequence, enum rfs_section section, int object)
{
	for (size_t i = sequence->n[section]; i-- > 0;)
		if (is_on(&sequence->calls[section][i], object))
			return sequence->calls[section][i].function;
	return RFS_CALL_FIRST;
}

/* The next call of a section on the object, from *i on, and the one before it. False: there is none. */
static bool next_order(const struct rfs_sequence *test, int section, int object, size_t *i, size_t *before,
		       size_t *function)
{
	for (; *i < test->n[section]; ++*i)
		if (is_on(&test->calls[section][*i], object)) {
			*before = *function;
			*function = test->calls[section][(*i)++].function;
			return true;
		}
	return false;
}

void rfs_call_orders_note_test(struct rfs_call_orders *orders, const struct rfs_sequence *test, int object, bool right)
{
	for (int section = RFS_PREFIX; section <= RFS_SUFFIX_2; section++)
		for (size_t i = 0, before, function = RFS_CALL_FIRST;
		     next_order(test, section, object, &i, &before, &function);)
			rfs_call_orders_note(orders, before, function, right);
}

/* The square makes a call that is always wrong rare, and one that was wrong once is soon tried again. */
static uint64_t times_less(const struct call_order *order)
{
	return order && !order->right ? 1 + order->wrong * order->wrong : 1;
}

double rfs_call_orders_weight(const struct rfs_call_orders *orders, const struct rfs_sequence *test, int object)
{
	uint64_t most = 1;

	for (int section = RFS_PREFIX; section <= RFS_SUFFIX_2; section++)
		for (size_t i = 0, before, function = RFS_CALL_FIRST;
		     next_order(test, section, object, &i, &before, &function);) {
			const uint64_t times = times_less(find_order(orders, before, function));

			most = times > most ? times : most;
		}
	return 1.0 / (double)most;
}

bool rfs_call_orders_allow(const struct rfs_call_orders *orders, struct rfs_rng *rng, size_t before, size_t function)
{
	const uint64_t times = times_less(find_order(orders, before, function));

	return times == 1 || rfs_rng_chance(rng, 1, times);
}
