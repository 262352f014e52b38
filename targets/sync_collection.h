/*
 * What the sync_* targets share: wrappers that lock a real GLib container for each call. They copy Java's
 * Collections.synchronizedX and have the same bug: contains_all(a, b) locks a, but walks b without b's lock (Sen, PLDI
 * 2008, section 5.4: containsAll and similar methods of synchronized lists, maps and sets).
 *
 * Like a Java collection, each wrapper counts its changes. So a walk that sees a change fails with a clear error
 * instead of using freed memory.
 */
#ifndef TARGETS_SYNC_COLLECTION_H
#define TARGETS_SYNC_COLLECTION_H

#include "target.h"
#include <glib.h>

#define ITEMS 3

struct sync_collection {
	pthread_mutex_t lock;
	unsigned changes;
	void *items; /* the GLib container */
};

/* Each target defines these: add an item, remove one, compare, create. The caller holds the collection's lock. */
static void item_add(struct sync_collection *c, void *item);
static void item_remove(struct sync_collection *c);
static int contains_each_of(struct sync_collection *a, struct sync_collection *b);
static void *items_new(void);

static struct sync_collection a, b;

static void collection_init(struct sync_collection *c)
{
	pthread_mutex_init(&c->lock, NULL);
	c->items = items_new();
	for (int i = 1; i <= ITEMS; i++)
		item_add(c, GINT_TO_POINTER(i));
}

/* Whether the first collection contains every item of the second. */
__attribute__((noinline)) static int contains_all(struct sync_collection *first, struct sync_collection *second)
{
	int result;

	pthread_mutex_lock(&first->lock);
#ifdef FIXED
	pthread_mutex_lock(&second->lock);
#endif
	result = contains_each_of(first, second);
#ifdef FIXED
	pthread_mutex_unlock(&second->lock);
#endif
	pthread_mutex_unlock(&first->lock);
	return result;
}

static void *walker(void *arg)
{
	(void)arg;
	if (!contains_all(&a, &b))
		fail("an item of b is not in a");
	return NULL;
}

static void *changer(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&b.lock);
	item_remove(&b);
	pthread_mutex_unlock(&b.lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	collection_init(&a);
	collection_init(&b);
	walker(NULL); /* lets the loader bind the library's functions, so that the walk below is short */
	first = start(walker, NULL);
	second = start_late(changer, NULL, 2);
	join(first);
	join(second);
	puts("contained");
	return 0;
}

#endif
