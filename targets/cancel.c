/*
 * cancel: cancels threads that wait in pthread_cond_wait, sem_wait, pthread_join and read on a pipe. Each thread runs
 * its cleanup handler. The thread in pthread_cond_wait must hold its mutex again when its handler runs.
 *
 * Answer: silent. Four threads are cancelled and four handlers run. The result is the same whether a thread already
 * waits or is about to wait when it is cancelled.
 */
#include "target.h"
#include <semaphore.h>
#include <unistd.h>

pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP; /* an unlock by a thread without the lock fails */
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
sem_t empty, stay;
int ends[2];
_Atomic int cleaned;

static void clean(void *arg)
{
	(void)arg;
	cleaned++;
}

static void clean_and_unlock(void *arg)
{
	clean(arg);
	if (pthread_mutex_unlock(arg))
		fail("the mutex was not given back");
}

static void *in_cond_wait(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(clean_and_unlock, &lock);
	for (;;)
		pthread_cond_wait(&changed, &lock);
	pthread_cleanup_pop(1);
	return NULL;
}

static void *in_sem_wait(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	sem_wait(&empty);
	pthread_cleanup_pop(1);
	return arg;
}

static void *in_join(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	pthread_join(*(pthread_t *)arg, NULL);
	pthread_cleanup_pop(1);
	return NULL;
}

static void *in_read(void *arg)
{
	char byte;

	pthread_cleanup_push(clean, NULL);
	if (read(ends[0], &byte, 1) != 1)
		fail("read");
	pthread_cleanup_pop(1);
	return arg;
}

static void *stayer(void *arg)
{
	sem_wait(&stay);
	return arg;
}

int main(void)
{
	pthread_t staying, threads[4];

	sem_init(&empty, 0, 0);
	sem_init(&stay, 0, 0);
	if (pipe(ends))
		fail("pipe");
	staying = start(stayer, NULL);
	threads[0] = start(in_cond_wait, NULL);
	threads[1] = start(in_sem_wait, NULL);
	threads[2] = start(in_join, &staying);
	threads[3] = start(in_read, NULL);
	apart(1);
	for (int i = 0; i < 4; i++)
		pthread_cancel(threads[i]);
	for (int i = 0; i < 4; i++) {
		if (join(threads[i]) != PTHREAD_CANCELED)
			fail("not cancelled");
	}
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	sem_post(&stay);
	join(staying);
	if (cleaned != 4)
		fail("a handler did not run");
	puts("cancelled");
	return 0;
}
