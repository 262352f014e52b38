/*
 * sync_queue: a synchronised GQueue. Its contains_all walks the other queue's list without that queue's lock.
 *
 * Answer: the pairs data:clear, check:change and begin:change are real. They can be harmful: the walk sees a
 * removed item, or the change itself, and aborts. Plain runs: almost never fail, because the walk has ended before
 * the changing thread begins. Twin: contains_all holds both locks.
 */
#include "sync_collection.h"

static void *items_new(void)
{
	return g_queue_new();
}

static void item_add(struct sync_collection *c, void *item)
{
	g_queue_push_tail(c->items, item);
	c->changes++;
}

static void item_remove(struct sync_collection *c)
{
	GQueue *queue = c->items;

	queue->tail->data = NULL; /* RACE: clear */
	c->changes++;		  /* RACE: change */
	g_queue_pop_tail(queue);
}

static int contains_each_of(struct sync_collection *first, struct sync_collection *second)
{
	unsigned expected = second->changes; /* RACE: begin */
	GQueue *queue = second->items;

	for (GList *link = queue->head; link; link = link->next) {
		if (!g_queue_find(first->items, link->data)) /* RACE: data */
			return 0;
		if (second->changes != expected) /* RACE: check */
			fail("concurrent modification");
	}
	return 1;
}
