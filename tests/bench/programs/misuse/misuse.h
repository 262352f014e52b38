/*
 * misuse.h - what the programs of misuse_peers.sh share. Each program has ways to use the thread library; its first
 * argument names one. A line with a mistake ends with the comment "wrong". Without an argument it lists the ways.
 */
#ifndef MISUSE_H
#define MISUSE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct way {
	const char *name;
	void (*run)(void);
};

static inline void *nothing(void *arg)
{
	return arg;
}

static inline pthread_t start(void *(*body)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, arg) != 0)
		abort();
	return thread;
}

/* Long enough that in a plain run another thread gets to where it waits. */
static inline void pause_long(void)
{
	nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
}

static inline int run_way(const struct way *ways, size_t n, int argc, char **argv)
{
	for (size_t i = 0; i < n; i++) {
		if (argc < 2) {
			puts(ways[i].name);
		} else if (strcmp(ways[i].name, argv[1]) == 0) {
			ways[i].run();
			/* so that each of them has a second thread */
			pthread_join(start(nothing, NULL), NULL);
			return 0;
		}
	}
	return argc < 2 ? 0 : 2;
}

#endif
