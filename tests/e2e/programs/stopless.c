/*
 * stopless.c - threads that use readers-writer locks, semaphores, trylock, pthread_once and condition variables, mostly
 * without contention: stopless THREADS ROUNDS. The semaphore that nobody initialises is all zeros.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t zeros, initialised;
static int rounds, turns, reads, tries;

static void begin(void)
{
	tries = 0;
}

static void *works(void *arg)
{
	int sum = 0;

	for (int i = 0; i < rounds; i++) {
		pthread_once(&once, begin);
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_rdlock(&rwlock);
		sum += reads;
		pthread_rwlock_unlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		pthread_rwlock_wrlock(&rwlock);
		reads++;
		pthread_rwlock_unlock(&rwlock);
		if (pthread_rwlock_tryrdlock(&rwlock) == 0)
			pthread_rwlock_unlock(&rwlock);
		if (pthread_rwlock_trywrlock(&rwlock) == 0)
			pthread_rwlock_unlock(&rwlock);
		sem_post(&zeros);
		sem_post(&zeros);
		sem_wait(&zeros);
		tries += sem_trywait(&zeros) == 0;
		sem_wait(&initialised);
		sem_post(&initialised);
		if (pthread_mutex_trylock(&mutex) == 0) {
			turns++;
			pthread_cond_signal(&cond);
			pthread_mutex_unlock(&mutex);
		}
		pthread_cond_broadcast(&cond);
	}
	return sum < 0 ? NULL : arg;
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (turns < rounds)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[8], waiter;

	rounds = argc > 2 ? atoi(argv[2]) : 10;
	sem_init(&initialised, 0, 2);
	if (n <= 1) {
		works(NULL);
		return 0;
	}
	pthread_create(&waiter, NULL, waits, NULL);
	for (int i = 0; i < n && i < 8; i++)
		pthread_create(&threads[i], NULL, works, NULL);
	for (int i = 0; i < n && i < 8; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_lock(&mutex);
	turns = rounds;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_join(waiter, NULL);
	return 0;
}
