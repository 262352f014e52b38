/*
 * A configuration is replaced by swapping a global pointer. Readers count themselves, and the writer waits until none
 * is left before it frees the old one. But a reader gets the pointer before it has counted itself.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct config {
	char name[32];
	_Atomic long used;
	struct config *_Atomic next;
};

static struct config *_Atomic current;
static _Atomic int readers;

static struct config *make(const char *name)
{
	struct config *config = calloc(1, sizeof(*config));

	if (!config)
		exit(2);
	strcpy(config->name, name);
	return config;
}

static void *reader(void *arg)
{
	struct config *config;

#ifdef FIXED
	atomic_fetch_add(&readers, 1);
	config = atomic_load(&current);
#else
	config = atomic_load(&current);
	atomic_fetch_add(&readers, 1);
#endif
	if (atomic_fetch_add(&config->used, 1) < 0 || atomic_load(&config->next))
		abort();
	atomic_fetch_sub(&readers, 1);
	return arg;
}

static void *writer(void *arg)
{
	struct config *old = atomic_exchange(&current, make("new"));

	while (atomic_load(&readers))
		;
	atomic_store(&old->next, old);
	free(old);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	atomic_store(&current, make("old"));
	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
