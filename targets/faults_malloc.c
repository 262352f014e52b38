/*
 * faults_malloc: a worker copies its message into a new block, and one of the three blocks is not checked.
 *
 * Answer: nothing without --faults malloc. With it, the allocation in log_message() returns NULL and the copy crashes.
 * Plain runs: never, because memory is not exhausted.
 * Twin: checks all blocks and ends with an error, which is no finding.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_THREADS 3

static char *names[N_THREADS], *lines[N_THREADS];

static char *log_message(const char *name)
{
	char *line = malloc(64);

#ifdef FIXED
	if (!line) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
#endif
	strcpy(line, "hello from ");
	return strcat(line, name);
}

static void *work(void *arg)
{
	size_t i = (size_t)arg;

	names[i] = calloc(1, 16);
	if (!names[i])
		return NULL;
	snprintf(names[i], 16, "worker %zu", i);
	lines[i] = log_message(names[i]);
	return NULL;
}

int main(void)
{
	pthread_t threads[N_THREADS];
	size_t *order = malloc(N_THREADS * sizeof(*order));

	if (!order)
		return 1;
	for (size_t i = 0; i < N_THREADS; i++)
		order[i] = i;
	for (size_t i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)order[i]) != 0)
			return 1;
	for (size_t i = 0; i < N_THREADS; i++) {
		pthread_join(threads[i], NULL);
		if (lines[i])
			puts(lines[i]);
		free(names[i]);
		free(lines[i]);
	}
	free(order);
	return 0;
}
