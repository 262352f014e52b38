/*
 * compute [WORK]: for measurements on a compute-bound target. Each of two threads makes WORK (default 1000) rounds over
 * its own array on the heap, then locks a mutex once. A round is 64 additions to memory.
 *
 * Answer: silent.
 */
#include "target.h"

#define WORDS 64

unsigned long total, work = 1000;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static unsigned long compute(unsigned long *array, unsigned long rounds)
{
	unsigned long sum = 0;

	for (unsigned long round = 0; round < rounds; round++) {
		for (int i = 0; i < WORDS; i++)
			array[i] += round ^ array[(i * 7 + 1) % WORDS];
	}
	for (int i = 0; i < WORDS; i++)
		sum += array[i];
	return sum;
}

static void *body(void *arg)
{
	unsigned long *array = calloc(WORDS, sizeof(*array));
	unsigned long sum = compute(array, *(unsigned long *)arg);

	free(array);
	pthread_mutex_lock(&lock);
	total += sum; /* RACE: add */
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t first, second;

	if (argc > 1)
		work = strtoul(argv[1], NULL, 10);
	first = start(body, &work);
	second = start(body, &work);
	join(first);
	join(second);
	printf("%lu\n", total);
	return 0;
}
