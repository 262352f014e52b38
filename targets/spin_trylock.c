/*
 * spin_trylock: two threads take a mutex with pthread_mutex_trylock in a loop, without a yield. The holder executes
 * other visible operations before it unlocks the mutex.
 *
 * Answer: silent, and the run must end. trylock is always enabled, so a scheduler that never switches would never end.
 */
#include "target.h"

int counter;
pthread_mutex_t spun = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	(void)arg;
	while (pthread_mutex_trylock(&spun)) /* SPIN: spun */
		;
	pthread_mutex_lock(&inner);
	counter++; /* RACE: increment */
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&spun);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(count, NULL);
	second = start(count, NULL);
	join(first);
	join(second);
	if (counter != 2)
		fail("lost update");
	puts("2");
	return 0;
}
