/*
 * sync_ptr_array: a synchronised GPtrArray. Its contains_all walks the other array without that array's lock.
 *
 * Answer: the pairs item:clear, check:change and begin:change are real. They can be harmful: the walk sees a
 * removed item, or the change itself, and aborts. Plain runs: almost never fail, because the walk has ended before
 * the changing thread begins. Twin: contains_all holds both locks.
 */
#include "sync_collection.h"

static void *items_new(void)
{
	return g_ptr_array_new();
}

static void item_add(struct sync_collection *c, void *item)
{
	g_ptr_array_add(c->items, item);
	c->changes++;
}

static void item_remove(struct sync_collection *c)
{
	GPtrArray *array = c->items;

	array->pdata[array->len - 1] = NULL; /* RACE: clear */
	c->changes++;			     /* RACE: change */
	g_ptr_array_set_size(array, array->len - 1);
}

static int contains_each_of(struct sync_collection *first, struct sync_collection *second)
{
	unsigned expected = second->changes; /* RACE: begin */
	GPtrArray *array = second->items;

	for (guint i = 0; i < array->len; i++) {
		if (!g_ptr_array_find(first->items, array->pdata[i], NULL)) /* RACE: item */
			return 0;
		if (second->changes != expected) /* RACE: check */
			fail("concurrent modification");
	}
	return 1;
}
