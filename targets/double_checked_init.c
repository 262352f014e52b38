/*
 * double_checked_init: double-checked locking, broken: the object is published before it is filled.
 *
 * Answer: check with publish, and use with fill, are real. Harmful: a thread that sees the pointer early uses the
 * object before it is filled, and aborts.
 * Plain runs: the first thread has filled the object before the second begins; almost never.
 * Twin: the first check is made under the lock too, so whoever gets the pointer gets it filled. Use and fill may still
 * be predicted (the use is outside the lock), but cannot be created.
 */
#include "target.h"

struct settings {
	int ready;
};

struct settings storage;
struct settings *settings;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void fill(struct settings *s)
{
	s->ready = 1; /* RACE: fill */
}

__attribute__((noinline)) static struct settings *get(void)
{
	struct settings *result;

#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	result = settings; /* RACE: check */
#ifndef FIXED
	if (result)
		return result;
	pthread_mutex_lock(&lock);
#endif
	if (!settings) {
		settings = &storage; /* RACE: publish */
		fill(settings);
	}
	result = settings;
	pthread_mutex_unlock(&lock);
	return result;
}

static void *use(void *arg)
{
	(void)arg;
	if (!get()->ready) /* RACE: use */
		fail("used before it was filled");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(use, NULL);
	second = start_late(use, NULL, 2);
	join(first);
	join(second);
	puts("ready");
	return 0;
}
