/*
 * sync_hash_table: a synchronised GHashTable. Its contains_all walks the other table with g_hash_table_foreach, but
 * without that table's lock.
 *
 * Answer: the pairs begin:change and check:change are real. The second is harmful: if the table changes during the
 * walk, the walk aborts ("concurrent modification").
 * Plain runs: almost never fail, because the walk has ended before the changing thread begins.
 * Twin: contains_all holds both locks.
 */
#include "sync_collection.h"

struct walk {
	struct sync_collection *first, *second;
	unsigned expected;
	int missing;
};

static void *items_new(void)
{
	return g_hash_table_new(g_direct_hash, g_direct_equal);
}

static void item_add(struct sync_collection *c, void *item)
{
	g_hash_table_add(c->items, item);
	c->changes++;
}

static void item_remove(struct sync_collection *c)
{
	c->changes++; /* RACE: change */
	g_hash_table_remove(c->items, GINT_TO_POINTER(ITEMS));
}

static void visit(void *key, void *value, void *arg)
{
	struct walk *walk = arg;

	(void)value;
	if (walk->second->changes != walk->expected) /* RACE: check */
		fail("concurrent modification");
	if (!g_hash_table_contains(walk->first->items, key))
		walk->missing = 1;
}

static int contains_each_of(struct sync_collection *first, struct sync_collection *second)
{
	struct walk walk = {.first = first, .second = second};

	walk.expected = second->changes; /* RACE: begin */
	g_hash_table_foreach(second->items, visit, &walk);
	return !walk.missing;
}
