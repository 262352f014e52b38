/*
 * gen_registry: a reference is counted after the look-up.
 *
 * Answer: gen_registry_get() releases the lock after it has found the item, and then counts the new reference. In
 * between, another thread may remove the item and free it. Then the count of a dead item is increased.
 * Twin: counts it with the lock held.
 */
#include "gen_registry.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct gen_item {
	struct gen_item *next; /* in the registry */
	char *name;
	atomic_int references;
};

struct gen_registry {
	pthread_mutex_t lock;
	struct gen_item *items;
	size_t n;
};

static void item_ref(struct gen_item *item)
{
	int before = atomic_fetch_add(&item->references, 1);

	assert(before > 0); /* nobody has a reference: the item is dead */
}

void gen_item_unref(struct gen_item *item)
{
	if (atomic_fetch_sub(&item->references, 1) > 1)
		return;
	free(item->name);
	free(item);
}

size_t gen_item_name_length(const struct gen_item *item)
{
	return strlen(item->name);
}

/* The pointer to the item with this name, or the one at the end. */
static struct gen_item **place(struct gen_registry *registry, const char *name)
{
	struct gen_item **at = &registry->items;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

struct gen_registry *gen_registry_new(void)
{
	struct gen_registry *registry = calloc(1, sizeof(*registry));

	if (registry)
		pthread_mutex_init(&registry->lock, NULL);
	return registry;
}

void gen_registry_free(struct gen_registry *registry)
{
	while (registry->items) {
		struct gen_item *item = registry->items;

		registry->items = item->next;
		gen_item_unref(item);
	}
	pthread_mutex_destroy(&registry->lock);
	free(registry);
}

bool gen_registry_add(struct gen_registry *registry, const char *name)
{
	struct gen_item *item, **at;
	bool added = false;

	pthread_mutex_lock(&registry->lock);
	at = place(registry, name);
	if (!*at) {
		item = calloc(1, sizeof(*item));
		item->name = strdup(name);
		atomic_init(&item->references, 1);
		*at = item;
		registry->n++;
		added = true;
	}
	pthread_mutex_unlock(&registry->lock);
	return added;
}

bool gen_registry_remove(struct gen_registry *registry, const char *name)
{
	struct gen_item *item, **at;

	pthread_mutex_lock(&registry->lock);
	at = place(registry, name);
	item = *at;
	if (item) {
		*at = item->next;
		registry->n--;
	}
	pthread_mutex_unlock(&registry->lock);
	if (item)
		gen_item_unref(item);
	return item;
}

struct gen_item *gen_registry_get(struct gen_registry *registry, const char *name)
{
	struct gen_item *item;

	pthread_mutex_lock(&registry->lock);
	item = *place(registry, name);
#ifdef FIXED
	if (item)
		item_ref(item);
#endif
	pthread_mutex_unlock(&registry->lock);
#ifndef FIXED
	if (item)
		item_ref(item);
#endif
	return item;
}

size_t gen_registry_count(struct gen_registry *registry)
{
	size_t n;

	pthread_mutex_lock(&registry->lock);
	n = registry->n;
	pthread_mutex_unlock(&registry->lock);
	return n;
}
