/*
 * bounded_buffer: a buffer of two places, one producer, two consumers; a consumer that was woken does not look again
 * (`if` instead of `while` around the wait).
 *
 * Answer: failure, no race: where the other consumer comes in between the signal and the woken one's return, the
 * buffer is empty when that takes, and it aborts.
 * Plain runs: the second consumer begins when the producer has put both items; almost never.
 * Twin: `while`.
 */
#include "target.h"

#define PLACES 2
#define ITEMS 2

int buffer[PLACES], count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (count == PLACES)
			pthread_cond_wait(&not_full, &lock);
		buffer[count++] = i;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
		apart(1);
	}
	return NULL;
}

static void *consume(void *arg)
{
	long item;

	(void)arg;
	pthread_mutex_lock(&lock);
#ifdef FIXED
	while (count == 0)
#else
	if (count == 0)
#endif
		pthread_cond_wait(&not_empty, &lock);
	if (count == 0)
		fail("took from an empty buffer");
	item = buffer[--count];
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return (void *)item;
}

int main(void)
{
	pthread_t producer, first, second;
	long sum;

	first = start(consume, NULL);
	producer = start_late(produce, NULL, 2);
	second = start_late(consume, NULL, 10);
	join(producer);
	sum = (long)join(first);
	sum += (long)join(second);
	printf("sum %ld\n", sum);
	return 0;
}
