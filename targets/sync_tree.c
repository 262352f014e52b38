/*
 * sync_tree: a synchronised GTree. Its contains_all walks the other tree with g_tree_foreach, but without that tree's
 * lock.
 *
 * Answer: the pairs begin:change and check:change are real. The second is harmful: if the tree changes during the walk,
 * the walk aborts ("concurrent modification").
 * Plain runs: almost never fail, because the walk has ended before the changing thread begins.
 * Twin: contains_all holds both locks.
 */
#include "sync_collection.h"

struct walk {
	struct sync_collection *first, *second;
	unsigned expected;
	int missing;
};

static int compare(const void *x, const void *y)
{
	return GPOINTER_TO_INT(x) - GPOINTER_TO_INT(y);
}

static void *items_new(void)
{
	return g_tree_new(compare);
}

static void item_add(struct sync_collection *c, void *item)
{
	g_tree_insert(c->items, item, item);
	c->changes++;
}

static void item_remove(struct sync_collection *c)
{
	c->changes++; /* RACE: change */
	g_tree_remove(c->items, GINT_TO_POINTER(ITEMS));
}

static int visit(void *key, void *value, void *arg)
{
	struct walk *walk = arg;

	(void)value;
	if (walk->second->changes != walk->expected) /* RACE: check */
		fail("concurrent modification");
	if (!g_tree_lookup(walk->first->items, key))
		walk->missing = 1;
	return walk->missing;
}

static int contains_each_of(struct sync_collection *first, struct sync_collection *second)
{
	struct walk walk = {.first = first, .second = second};

	walk.expected = second->changes; /* RACE: begin */
	g_tree_foreach(second->items, visit, &walk);
	return !walk.missing;
}
