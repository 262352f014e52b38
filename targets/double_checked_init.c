/*
 * double_checked_init: broken double-checked locking: the object is published before it is filled.
 *
 * Answer: the pairs check:publish and use:fill are real. The second is harmful: a thread that sees the pointer early
 * uses the object before it is filled, and aborts.
 * Plain runs: almost never fail, because the first thread has filled the object before the second begins.
 * Twin: the first check is under the lock too, so a thread that gets the pointer gets a filled object. The pair
 * use:fill may still be predicted, because the use is outside the lock, but its race cannot be created.
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
