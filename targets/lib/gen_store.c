/*
 * gen_store: two methods take two locks in different orders.
 *
 * Answer: gen_store_set() locks the values and then the journal, and gen_store_undo() locks the journal first. When
 * both run, each may wait for the lock of the other one.
 * Twin: gen_store_undo() locks the values first.
 */
#include "gen_store.h"

#include <pthread.h>
#include <stdlib.h>

#define JOURNAL 16

struct change {
	unsigned index;
	int before;
};

struct gen_store {
	pthread_mutex_t values_lock, journal_lock;
	int values[GEN_STORE_VALUES];
	struct change journal[JOURNAL];
	size_t n, first; /* the oldest change, if there were more than JOURNAL */
};

struct gen_store *gen_store_new(void)
{
	struct gen_store *store = calloc(1, sizeof(*store));

	if (store) {
		pthread_mutex_init(&store->values_lock, NULL);
		pthread_mutex_init(&store->journal_lock, NULL);
	}
	return store;
}

void gen_store_free(struct gen_store *store)
{
	pthread_mutex_destroy(&store->journal_lock);
	pthread_mutex_destroy(&store->values_lock);
	free(store);
}

bool gen_store_set(struct gen_store *store, unsigned index, int value)
{
	if (index >= GEN_STORE_VALUES)
		return false;
	pthread_mutex_lock(&store->values_lock);
	pthread_mutex_lock(&store->journal_lock);
	if (store->n == JOURNAL) {
		store->first = (store->first + 1) % JOURNAL;
		store->n--;
	}
	store->journal[(store->first + store->n++) % JOURNAL] = (struct change){index, store->values[index]};
	pthread_mutex_unlock(&store->journal_lock);
	store->values[index] = value;
	pthread_mutex_unlock(&store->values_lock);
	return true;
}

int gen_store_get(struct gen_store *store, unsigned index)
{
	int value = 0;

	pthread_mutex_lock(&store->values_lock);
	if (index < GEN_STORE_VALUES)
		value = store->values[index];
	pthread_mutex_unlock(&store->values_lock);
	return value;
}

bool gen_store_undo(struct gen_store *store)
{
	bool undone = false;

#ifdef FIXED
	pthread_mutex_lock(&store->values_lock);
#endif
	pthread_mutex_lock(&store->journal_lock);
	if (store->n) {
		const struct change *change = &store->journal[(store->first + --store->n) % JOURNAL];

#ifndef FIXED
		pthread_mutex_lock(&store->values_lock);
#endif
		store->values[change->index] = change->before;
#ifndef FIXED
		pthread_mutex_unlock(&store->values_lock);
#endif
		undone = true;
	}
	pthread_mutex_unlock(&store->journal_lock);
#ifdef FIXED
	pthread_mutex_unlock(&store->values_lock);
#endif
	return undone;
}

size_t gen_store_changes(struct gen_store *store)
{
	size_t n;

	pthread_mutex_lock(&store->journal_lock);
	n = store->n;
	pthread_mutex_unlock(&store->journal_lock);
	return n;
}
