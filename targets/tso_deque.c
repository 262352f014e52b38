/*
 * tso_deque: a work-stealing deque (Chase and Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005) without the fence
 * in take(). The owner stores the new bottom and then loads top. If the store is delayed, a thief still finds the item
 * that the owner takes.
 *
 * Answer: nothing without --memory-model tso. With it, an item is taken twice.
 * Plain runs: almost never, because the thief begins late.
 * Twin: has the fence; nothing under either memory model.
 */
#include "tso.h"
#include <stdbool.h>

#define ITEMS 2

long top, bottom;
int items[ITEMS], taken[ITEMS];

static bool take_from_top(long at)
{
	return __atomic_compare_exchange_n(&top, &at, at + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static int take(void)
{
	long last = LOAD(bottom) - 1, first;
	int item = -1;

	STORE(bottom, last);
	FENCE;
	first = LOAD(top);
	if (first < last)
		return LOAD(items[last]);
	if (first == last && take_from_top(first))
		item = LOAD(items[last]);
	STORE(bottom, last + 1);
	return item;
}

static int steal(void)
{
	long first = LOAD(top), last = LOAD(bottom);
	int item;

	if (first >= last)
		return -1;
	item = LOAD(items[first]);
	return take_from_top(first) ? item : -1;
}

static void count(int item)
{
	if (item >= 0 && __atomic_add_fetch(&taken[item], 1, __ATOMIC_SEQ_CST) > 1)
		fail("an item is taken twice");
}

static void *thief(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++)
		count(steal());
	return NULL;
}

int main(void)
{
	pthread_t other;

	for (int i = 0; i < ITEMS; i++)
		STORE(items[i], i);
	STORE(bottom, ITEMS);
	other = start_late(thief, NULL, 3);
	count(take());
	join(other);
	puts("done");
	return 0;
}
