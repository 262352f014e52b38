/*
 * atomicity_upgrade: a thread looks with a read lock whether the cache has a value, and adds it with a write lock
 * without looking again. The value may then be there twice.
 *
 * Answer: failure, no race: an atomicity violation on the number of entries.
 * Plain and random runs: never fail, because one thread has added the value long before the other looks.
 * Twin: it looks again.
 */
#include "late.h"
#include "target.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entries[4], n_entries;

static int has(int value)
{
	for (int i = 0; i < n_entries; i++)
		if (entries[i] == value)
			return 1;
	return 0;
}

__attribute__((noinline)) static void add(int value)
{
	int known;

	pthread_rwlock_rdlock(&lock);
	known = has(value);
	pthread_rwlock_unlock(&lock);
	if (known)
		return;
	pthread_rwlock_wrlock(&lock);
#ifdef FIXED
	if (!has(value))
#endif
		entries[n_entries++] = value;
	pthread_rwlock_unlock(&lock);
}

static void *add_early(void *arg)
{
	(void)arg;
	add(9);
	return NULL;
}

static void *add_late(void *arg)
{
	(void)arg;
	come_late();
	add(9);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add_early, NULL);
	pthread_create(&threads[1], NULL, add_late, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (n_entries != 1)
		abort();
	return 0;
}
