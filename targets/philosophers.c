/*
 * philosophers: three dining philosophers. Each eats twice and takes the left fork first.
 *
 * Answer: deadlock, a cycle of three; no race.
 * Plain runs: almost never fail, because each philosopher has eaten before the next one begins.
 * Twin: the last one takes the right fork first.
 */
#include "target.h"

#define SEATS 3
#define MEALS 2

pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *dine(void *arg)
{
	long seat = (long)arg, first = seat, second = (seat + 1) % SEATS, meals = 0;

#ifdef FIXED
	if (second < first) {
		first = second;
		second = seat;
	}
#endif
	for (int i = 0; i < MEALS; i++) {
		pthread_mutex_lock(&forks[first]);
		pthread_mutex_lock(&forks[second]); /* WAIT: second fork */
		meals++;
		pthread_mutex_unlock(&forks[second]);
		pthread_mutex_unlock(&forks[first]);
	}
	return (void *)meals;
}

int main(void)
{
	pthread_t threads[SEATS];
	long meals = 0;

	for (long seat = 0; seat < SEATS; seat++) {
		threads[seat] = start_late(dine, (void *)seat, 2 * seat);
	}
	for (int seat = 0; seat < SEATS; seat++)
		meals += (long)join(threads[seat]);
	printf("%ld meals\n", meals);
	return 0;
}
