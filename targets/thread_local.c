/*
 * thread_local: each thread counts in its own variables: one is __thread, one is set by pthread_setspecific. The first
 * thread is detached, so that a later thread may get its stack and its thread-local memory.
 *
 * Answer: silent. The same address in two threads is two objects.
 */
#include "target.h"

#define COUNTS 3

static __thread int own;
pthread_key_t key;

__attribute__((noinline)) static int *own_place(void)
{
	return &own;
}

static void *count(void *arg)
{
	int by_key = 0;

	(void)arg;
	pthread_setspecific(key, &by_key);
	for (int i = 0; i < COUNTS; i++) {
		int *place = own_place();

		(*place)++; /* RACE: increment */
		(*(int *)pthread_getspecific(key))++;
	}
	if (own != COUNTS || by_key != COUNTS)
		fail("another thread counted in it");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	if (pthread_key_create(&key, NULL))
		fail("pthread_key_create");
	pthread_detach(start(count, NULL));
	first = start_late(count, NULL, 2);
	second = start_late(count, NULL, 4);
	join(first);
	join(second);
	count(NULL);
	puts("own");
	return 0;
}
