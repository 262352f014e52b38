/*
 * recursive_ok: two threads lock a recursive mutex three times each, once with trylock.
 *
 * Answer: silent. Only the last unlock releases the mutex for the other thread.
 */
#include "target.h"

#define DEPTH 3

int counter;
pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

__attribute__((noinline)) static void count(int depth)
{
	int before;

	if (depth == 2) {
		if (pthread_mutex_trylock(&lock))
			fail("pthread_mutex_trylock of its own mutex");
	} else {
		pthread_mutex_lock(&lock);
	}
	if (depth < DEPTH)
		count(depth + 1);
	before = counter;     /* RACE: load */
	counter = before + 1; /* RACE: store */
	pthread_mutex_unlock(&lock);
}

static void *body(void *arg)
{
	(void)arg;
	count(1);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(body, NULL);
	second = start(body, NULL);
	join(first);
	join(second);
	if (counter != 2 * DEPTH)
		fail("lost update");
	printf("%d\n", counter);
	return 0;
}
