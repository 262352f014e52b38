/*
 * Two threads wait for a signal that wakes only one of them: a deadlock. A counter for statistics races, and its order
 * says which thread was faster, so it goes along with the deadlock; but nobody waits because of it.
 *
 * With COUNTS, the racing counter says how many threads are left, so a lost update is the cause. With UNLOCKED, the
 * flag is set without the lock, so the signal may come between the check and the wait.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go, seen, started, left = 2;

static void count(void)
{
	started++;
}

static void *body(void *arg)
{
	count();
	pthread_mutex_lock(&m);
	while (!go)
		pthread_cond_wait(&c, &m);
	seen++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *worker(void *arg)
{
	left--;
	pthread_mutex_lock(&m);
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

static void wait_for_workers(void)
{
	pthread_mutex_lock(&m);
	while (left > 0)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
}

static void *setter(void *arg)
{
	go = 1;
	pthread_cond_signal(&c);
	return arg;
}

static void wait_for_go(void)
{
	pthread_mutex_lock(&m);
	if (!go)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
}

int main(void)
{
	pthread_t t, u;

#ifdef COUNTS
	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	wait_for_workers();
	(void)body;
	(void)setter;
	(void)wait_for_go;
#elif defined(UNLOCKED)
	pthread_create(&t, NULL, setter, NULL);
	wait_for_go();
	(void)u;
	(void)worker;
	(void)body;
	(void)wait_for_workers;
	pthread_join(t, NULL);
	return 0;
#else
	pthread_create(&t, NULL, body, NULL);
	pthread_create(&u, NULL, body, NULL);
	printf("%d started\n", started);
	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	(void)worker;
	(void)setter;
	(void)wait_for_go;
	(void)wait_for_workers;
#endif
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
