/* team.h - a team of threads that work on one problem, for the programs of this folder. */
#ifndef RFS_BENCH_TEAM_H
#define RFS_BENCH_TEAM_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TEAM_MAX 64

static int team_size;
static pthread_barrier_t team_barrier;

/* Checks the arguments of main: PROGRAM SIZE THREADS. Sets team_size and returns SIZE. */
static inline long team_arguments(int argc, char **argv)
{
	if (argc != 3 || atol(argv[1]) < 1 || atoi(argv[2]) < 1 || atoi(argv[2]) > TEAM_MAX) {
		fprintf(stderr, "usage: %s SIZE THREADS\n", argv[0]);
		exit(2);
	}
	team_size = atoi(argv[2]);
	return atol(argv[1]);
}

/* Runs body in team_size threads, with the numbers 0 to team_size - 1, and joins them. */
static inline void team_run(void *(*body)(void *number))
{
	pthread_t threads[TEAM_MAX];

	pthread_barrier_init(&team_barrier, NULL, (unsigned)team_size);
	for (int i = 0; i < team_size; i++)
		if (pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i))
			exit(3);
	for (int i = 0; i < team_size; i++)
		pthread_join(threads[i], NULL);
}

static inline void team_wait(void)
{
	pthread_barrier_wait(&team_barrier);
}

/* Thread `number` has the part of 0 to n - 1 from here to team_first(n, number + 1). */
static inline long team_first(long n, long number)
{
	return n * number / team_size;
}

#endif
