/*
 * signal_waits.c - signals meet a thread that waits at a barrier, a readers-writer lock, a condition, pthread_once or
 * pthread_join. None of these calls returns early, and none is done twice. Nothing can hang.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define ROUNDS 2

static pthread_barrier_t start;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_t first;
static int ready, serial;

static void on_signal(int number)
{
	(void)number;
}

static void poke(void)
{
	pthread_kill(first, SIGUSR1);
}

static void *second(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		poke();
		if (pthread_barrier_wait(&start) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
		poke();
	}
	pthread_rwlock_wrlock(&table);
	poke();
	pthread_rwlock_unlock(&table);
	pthread_once(&once, poke);
	pthread_mutex_lock(&lock);
	poke();
	ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	poke();
	return arg;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	pthread_t thread;

	first = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	pthread_barrier_init(&start, NULL, 2);
	pthread_create(&thread, NULL, second, NULL);
	for (int i = 0; i < ROUNDS; i++)
		if (pthread_barrier_wait(&start) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
	pthread_rwlock_rdlock(&table);
	pthread_rwlock_unlock(&table);
	pthread_once(&once, poke);
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&start);
	if (serial != ROUNDS)
		abort();
	return 0;
}
