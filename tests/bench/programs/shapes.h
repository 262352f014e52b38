/* shapes.h - for programs with several shapes, each a small program with one bug. The first argument chooses one. */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE_THREADS 4
#define SHAPE_STARTED 256

struct shape {
	const char *name;
	void *(*body[SHAPE_THREADS])(void *); /* each gets a pointer to its index */
};

/* Ends the program as failed: one line on standard error, then SIGABRT. */
__attribute__((noinline, noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "FAIL: %s\n", what);
	abort();
}

/* Threads of shapes whose number of threads is an argument. */
static pthread_t started[SHAPE_STARTED];
static int n_started;

/* Starts so many threads; with too many, the program ends with status 2. */
static inline void start(void *(*body)(void *), int times)
{
	while (times-- > 0)
		if (n_started == SHAPE_STARTED || pthread_create(&started[n_started++], NULL, body, NULL))
			exit(2);
}

static inline void join_started(void)
{
	for (int i = 0; i < n_started; i++)
		pthread_join(started[i], NULL);
}

/* Runs the threads of the shape of this name. Returns the exit status of the program; 2: there is no such shape. */
static inline int run_shape(const struct shape *shapes, size_t n_shapes, const char *name)
{
	static int numbers[SHAPE_THREADS] = {0, 1, 2, 3};
	pthread_t threads[SHAPE_THREADS];
	int n = 0;

	for (size_t i = 0; i < n_shapes; i++) {
		if (strcmp(shapes[i].name, name) != 0)
			continue;
		for (; n < SHAPE_THREADS && shapes[i].body[n]; n++)
			if (pthread_create(&threads[n], NULL, shapes[i].body[n], &numbers[n]))
				return 2;
		for (int k = 0; k < n; k++)
			pthread_join(threads[k], NULL);
		return 0;
	}
	return 2;
}

#endif
