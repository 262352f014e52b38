/*
 * barrier_ordered: each of three threads writes its own place, waits at a barrier, and reads its neighbour's place.
 * This is done twice, so that the barrier is reused.
 *
 * Answer: silent. The barrier orders all writes before all reads, and these reads before the next writes.
 */
#include "target.h"

#define PARTIES 3

int places[PARTIES];
pthread_barrier_t barrier;

static void *party(void *arg)
{
	long me = (long)arg, serial = 0;

	for (int round = 1; round <= 2; round++) {
		places[me] = round; /* RACE: write */
		serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
		if (places[(me + 1) % PARTIES] != round) /* RACE: read */
			fail("a neighbour is not there yet");
		serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	}
	return (void *)serial;
}

int main(void)
{
	pthread_t threads[PARTIES];
	long serial = 0;

	pthread_barrier_init(&barrier, NULL, PARTIES);
	for (long i = 0; i < PARTIES; i++)
		threads[i] = start(party, (void *)i);
	for (int i = 0; i < PARTIES; i++)
		serial += (long)join(threads[i]);
	pthread_barrier_destroy(&barrier);
	printf("%ld meetings\n", serial);
	return 0;
}
