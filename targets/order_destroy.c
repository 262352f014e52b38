/*
 * order_destroy: a worker uses an object of the thread library, which the argument names (a mutex without argument).
 * Another thread shuts the service down: it destroys the object, and does not wait for the worker.
 *
 * Answer: failure, no race, no atomicity violation: the object is used after it was destroyed.
 * Plain and random runs: never fail, because the worker is done long before the service is shut down. Even if it is
 * not, the C library does as if nothing were wrong, or returns an error at which nobody looks. Twin: the service waits
 * for the worker.
 */
#include <semaphore.h>
#include <string.h>

#include "late.h"
#include "target.h"

static pthread_mutex_t mutex;
static pthread_rwlock_t rwlock;
static pthread_cond_t cond;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static const char *object = "mutex";

static int is(const char *name)
{
	return strcmp(object, name) == 0;
}

static void *work(void *arg)
{
	if (is("mutex")) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	} else if (is("rwlock")) {
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	} else if (is("cond")) {
		pthread_cond_signal(&cond);
	} else if (is("barrier")) {
		pthread_barrier_wait(&barrier);
	} else if (is("spin")) {
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
	} else {
		sem_post(&semaphore);
	}
	return arg;
}

static void *shut_down(void *arg)
{
	come_late();
#ifdef FIXED
	pthread_join(*(pthread_t *)arg, NULL);
#endif
	if (is("mutex"))
		pthread_mutex_destroy(&mutex);
	else if (is("rwlock"))
		pthread_rwlock_destroy(&rwlock);
	else if (is("cond"))
		pthread_cond_destroy(&cond);
	else if (is("barrier"))
		pthread_barrier_destroy(&barrier);
	else if (is("spin"))
		pthread_spin_destroy(&spin);
	else
		sem_destroy(&semaphore);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc > 1)
		object = argv[1];
	pthread_mutex_init(&mutex, NULL);
	pthread_rwlock_init(&rwlock, NULL);
	pthread_cond_init(&cond, NULL);
	pthread_barrier_init(&barrier, NULL, 1);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	sem_init(&semaphore, 0, 0);
	threads[0] = start(work, NULL);
	threads[1] = start(shut_down, &threads[0]);
#ifndef FIXED
	pthread_join(threads[0], NULL);
#endif
	pthread_join(threads[1], NULL);
	return 0;
}
