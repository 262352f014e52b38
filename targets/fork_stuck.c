/*
 * The program has two threads, and the first one forks two processes. In each of them, two threads take two mutexes. In
 * the second process they take them in opposite orders, so it may get stuck. In the fixed twin, they do not.
 */
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FIXED
#define FIXED 0
#endif

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;

static void *take(void *arg)
{
	pthread_mutex_t *const *locks = arg;

	pthread_mutex_lock(locks[0]);
	pthread_mutex_lock(locks[1]);
	pthread_mutex_unlock(locks[1]);
	pthread_mutex_unlock(locks[0]);
	return NULL;
}

static int work(int number)
{
	pthread_mutex_t *forth[] = {&first, &second}, *back[] = {&second, &first};
	pthread_t threads[2];

	if (pthread_create(&threads[0], NULL, take, forth) ||
	    pthread_create(&threads[1], NULL, take, FIXED || number == 0 ? forth : back))
		return 2;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void *wait_for_all(void *unused)
{
	(void)unused;
	sem_wait(&done);
	return NULL;
}

int main(void)
{
	int status, failed = 0;
	pthread_t thread;

	sem_init(&done, 0, 0);
	if (pthread_create(&thread, NULL, wait_for_all, NULL))
		return 2;
	for (int i = 0; i < 2; i++)
		if (!fork())
			_exit(work(i));
	while (wait(&status) > 0)
		failed |= status != 0;
	sem_post(&done);
	pthread_join(thread, NULL);
	return failed;
}
