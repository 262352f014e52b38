/*
 * bounded_buffer: a buffer with two places, one producer and two consumers. A consumer that was woken does not check
 * the buffer again: it has `if` instead of `while` around the wait.
 *
 * Answer: failure, no race. If the other consumer takes the item after the signal, before the woken one continues, the
 * woken one finds the buffer empty and aborts.
 * Plain runs: almost never fail, because the second consumer begins after the producer has put both items.
 * Twin: uses `while`.
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
