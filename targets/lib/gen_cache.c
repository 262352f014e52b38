/*
 * gen_cache: a reader-writer cache with check-then-act between two locked sections.
 *
 * Answer: gen_cache_drop() looks for the entry as a reader, and takes it out as a writer. Between the two sections,
 * another thread may take out the same entry and free it. Then the search for its place runs beyond the end of the
 * list. Twin: looks for the entry again as a writer.
 */
#include "gen_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LISTS 4

struct entry {
	struct entry *next;
	int value;
	char name[];
};

struct gen_cache {
	pthread_rwlock_t lock;
	struct entry *lists[LISTS];
	size_t n;
};

static struct entry **list_of(struct gen_cache *cache, const char *name)
{
	unsigned hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return &cache->lists[hash % LISTS];
}

static struct entry *find(struct gen_cache *cache, const char *name)
{
	struct entry *entry = *list_of(cache, name);

	while (entry && strcmp(entry->name, name) != 0)
		entry = entry->next;
	return entry;
}

struct gen_cache *gen_cache_new(void)
{
	struct gen_cache *cache = calloc(1, sizeof(*cache));

	if (cache)
		pthread_rwlock_init(&cache->lock, NULL);
	return cache;
}

void gen_cache_free(struct gen_cache *cache)
{
	for (unsigned i = 0; i < LISTS; i++)
		while (cache->lists[i]) {
			struct entry *entry = cache->lists[i];

			cache->lists[i] = entry->next;
			free(entry);
		}
	pthread_rwlock_destroy(&cache->lock);
	free(cache);
}

void gen_cache_set(struct gen_cache *cache, const char *name, int value)
{
	struct entry *entry, **list = list_of(cache, name);

	pthread_rwlock_wrlock(&cache->lock);
	entry = find(cache, name);
	if (!entry) {
		entry = malloc(sizeof(*entry) + strlen(name) + 1);
		strcpy(entry->name, name);
		entry->next = *list;
		*list = entry;
		cache->n++;
	}
	entry->value = value;
	pthread_rwlock_unlock(&cache->lock);
}

bool gen_cache_get(struct gen_cache *cache, const char *name, int *value)
{
	struct entry *entry;

	pthread_rwlock_rdlock(&cache->lock);
	entry = find(cache, name);
	if (entry)
		*value = entry->value;
	pthread_rwlock_unlock(&cache->lock);
	return entry;
}

bool gen_cache_drop(struct gen_cache *cache, const char *name)
{
	struct entry *entry, **at;

	pthread_rwlock_rdlock(&cache->lock);
	entry = find(cache, name);
	pthread_rwlock_unlock(&cache->lock);
	if (!entry) /* most names are not there: readers are not delayed */
		return false;
	pthread_rwlock_wrlock(&cache->lock);
#ifdef FIXED
	entry = find(cache, name);
#endif
	if (entry) {
		at = list_of(cache, name);
		while (*at != entry)
			at = &(*at)->next;
		*at = entry->next;
		cache->n--;
	}
	pthread_rwlock_unlock(&cache->lock);
	free(entry);
	return entry;
}

size_t gen_cache_count(struct gen_cache *cache)
{
	size_t n;

	pthread_rwlock_rdlock(&cache->lock);
	n = cache->n;
	pthread_rwlock_unlock(&cache->lock);
	return n;
}
