/*
 * gen_table: an iterator beside a resize.
 *
 * Answer: gen_table_visit() releases the lock for each call of its function, but keeps the address of the lists. If
 * another thread sets a new key in this time, the table may grow. Then the visit continues in lists that were freed.
 * Twin: the visit takes the keys and values out of the lists first.
 */
#include "gen_table.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
	struct entry *next;
	int key, value;
};

struct gen_table {
	pthread_mutex_t lock;
	struct entry **lists;
	size_t n_lists, n;
};

struct gen_table *gen_table_new(size_t size)
{
	struct gen_table *table = calloc(1, sizeof(*table));

	if (table) {
		pthread_mutex_init(&table->lock, NULL);
		for (table->n_lists = 1; table->n_lists < size; table->n_lists *= 2)
			;
		table->lists = calloc(table->n_lists, sizeof(*table->lists));
	}
	return table;
}

void gen_table_free(struct gen_table *table)
{
	for (size_t i = 0; i < table->n_lists; i++)
		while (table->lists[i]) {
			struct entry *entry = table->lists[i];

			table->lists[i] = entry->next;
			free(entry);
		}
	free(table->lists);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

static struct entry *find(const struct gen_table *table, int key)
{
	struct entry *entry = table->lists[(unsigned)key % table->n_lists];

	while (entry && entry->key != key)
		entry = entry->next;
	return entry;
}

static void add(struct entry **lists, size_t n_lists, struct entry *entry)
{
	struct entry **list = &lists[(unsigned)entry->key % n_lists];

	entry->next = *list;
	*list = entry;
}

static void grow(struct gen_table *table)
{
	size_t n = table->n_lists * 2;
	struct entry **lists = calloc(n, sizeof(*lists)), *next;

	for (size_t i = 0; i < table->n_lists; i++)
		for (struct entry *entry = table->lists[i]; entry; entry = next) {
			next = entry->next;
			add(lists, n, entry);
		}
	free(table->lists);
	table->lists = lists;
	table->n_lists = n;
}

void gen_table_set(struct gen_table *table, int key, int value)
{
	struct entry *entry;

	pthread_mutex_lock(&table->lock);
	entry = find(table, key);
	if (!entry) {
		entry = malloc(sizeof(*entry));
		entry->key = key;
		if (table->n++ == table->n_lists)
			grow(table);
		add(table->lists, table->n_lists, entry);
	}
	entry->value = value;
	pthread_mutex_unlock(&table->lock);
}

bool gen_table_get(struct gen_table *table, int key, int *value)
{
	struct entry *entry;

	pthread_mutex_lock(&table->lock);
	entry = find(table, key);
	if (entry)
		*value = entry->value;
	pthread_mutex_unlock(&table->lock);
	return entry;
}

#ifndef FIXED
bool gen_table_visit(struct gen_table *table, bool (*visit)(int key, int value, void *arg), void *arg)
{
	bool found = false;
	struct entry **lists;
	size_t n;

	pthread_mutex_lock(&table->lock);
	lists = table->lists;
	n = table->n_lists;
	for (size_t i = 0; i < n && !found; i++)
		for (struct entry *entry = lists[i]; entry && !found; entry = entry->next) {
			struct entry copy = *entry;

			pthread_mutex_unlock(&table->lock);
			found = visit(copy.key, copy.value, arg);
			pthread_mutex_lock(&table->lock);
		}
	pthread_mutex_unlock(&table->lock);
	return found;
}
#else
bool gen_table_visit(struct gen_table *table, bool (*visit)(int key, int value, void *arg), void *arg)
{
	struct entry *copies;
	bool found = false;
	size_t n = 0;

	pthread_mutex_lock(&table->lock);
	copies = calloc(table->n + 1, sizeof(*copies));
	for (size_t i = 0; i < table->n_lists; i++)
		for (const struct entry *entry = table->lists[i]; entry; entry = entry->next)
			copies[n++] = *entry;
	pthread_mutex_unlock(&table->lock);
	for (size_t i = 0; i < n && !found; i++)
		found = visit(copies[i].key, copies[i].value, arg);
	free(copies);
	return found;
}
#endif

size_t gen_table_count(struct gen_table *table)
{
	size_t n;

	pthread_mutex_lock(&table->lock);
	n = table->n;
	pthread_mutex_unlock(&table->lock);
	return n;
}
