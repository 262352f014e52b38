/*
 * spin_lock: two threads count under a pthread spin lock. One of them takes it with trylock in a loop.
 *
 * Answer: silent, and the run must end.
 */
#include "target.h"

int counter;
pthread_spinlock_t lock;

static void *count(void *arg)
{
	if (arg) {
		while (pthread_spin_trylock(&lock)) /* SPIN: lock */
			;
	} else {
		pthread_spin_lock(&lock);
	}
	counter++; /* RACE: increment */
	pthread_spin_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	first = start(count, NULL);
	second = start(count, &counter);
	join(first);
	join(second);
	pthread_spin_destroy(&lock);
	if (counter != 2)
		fail("lost update");
	puts("2");
	return 0;
}
