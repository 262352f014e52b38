/*
 * common_order.c - every plain run fails, because threads nearly always take the order that fails.
 *
 * "aborts", "exits": the order of a race decides. "anyway": the program has the race, but fails in either order.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int *shared, seen;

static void *early(void *how)
{
	*shared = 1;
	return how;
}

static void *late(void *how)
{
	usleep(1000);
	seen = *shared;
	return how;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc < 2)
		return 9;
	shared = calloc(1, sizeof(*shared));
	pthread_create(&threads[0], NULL, early, argv[1]);
	pthread_create(&threads[1], NULL, late, argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(shared);
	if (strcmp(argv[1], "aborts") == 0 && seen)
		abort();
	if (strcmp(argv[1], "exits") == 0)
		return seen ? 3 : 0;
	return strcmp(argv[1], "anyway") == 0 ? 3 : 0;
}
