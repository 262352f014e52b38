/*
 * woken [N]: N threads block in preadv2, which rfsup does not schedule. One write wakes them, so they return while
 * another thread runs. Their next call has ids to translate, so it stops at its exit, as the write does. The third
 * thread computes for a moment first.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define THREADS_MAX 3

static int ends[2];
static int n_threads;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *blocks(void *arg)
{
	char c;
	struct iovec piece = {&c, 1};
	struct rlimit limit;

	syscall(SYS_preadv2, ends[0], &piece, 1, -1L, -1L, 0);
	if ((long)arg == THREADS_MAX - 1)
		for (volatile unsigned long i = 0; i < 100000000; i++)
			;
	for (int i = 0; i < 3; i++)
		getrlimit(RLIMIT_NOFILE, &limit);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];

	n_threads = argc > 1 ? atoi(argv[1]) : 1;
	if (n_threads > THREADS_MAX || pipe(ends))
		return 2;
	for (long i = 0; i < n_threads; i++)
		pthread_create(&threads[i], NULL, blocks, (void *)i);
	sched_yield();
	if (write(ends[1], "xyz", (size_t)n_threads) != n_threads)
		return 2;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
