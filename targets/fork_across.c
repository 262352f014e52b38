/*
 * Two processes, each with two threads: the second thread of each counts in memory that all of them share. An update is
 * lost, and the parent notices. In the fixed twin, a process-shared mutex protects the count. Each process also has a
 * private counter. Both private counters have the same address, but only one thread uses each of them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif
struct shared {
	pthread_mutex_t lock;
	int count;
};

static int own;

static void *count(void *arg)
{
	struct shared *shared = arg;

	own = own + 1;
	if (FIXED)
		pthread_mutex_lock(&shared->lock);
	shared->count = shared->count + 1; /* RACE: count */
	if (FIXED)
		pthread_mutex_unlock(&shared->lock);
	return NULL;
}

static int work(struct shared *shared)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, count, shared))
		return 2;
	pthread_join(thread, NULL);
	return own == 1 ? 0 : 1;
}

int main(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;

	if (shared == MAP_FAILED)
		return 2;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attributes);
	for (int i = 0; i < 2; i++)
		if (!fork())
			_exit(work(shared));
	while (wait(NULL) > 0)
		;
	if (shared->count != 2)
		abort();
	return 0;
}
