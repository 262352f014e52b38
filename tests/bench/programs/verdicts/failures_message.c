/* One function checks two counters and says which one is wrong: two failures, told apart by their messages. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int counters[2];

static __attribute__((noinline)) void verify(int right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "check failed: %s\n", what);
	abort();
}

static void *counts(void *arg)
{
	const size_t i = (size_t)arg;
	const int seen = counters[i];

	counters[i] = seen + 1;
	verify(counters[i] == seen + 1, i ? "the second counter" : "the first counter");
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, counts, (void *)(i % 2));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
