/*
 * forgotten_waiter.c - two threads wait in two functions until a flag is set, and only one of them is woken. To read
 * the flag before it is set is right: a thread that waits must do that.
 *
 * With -DLATE: one thread waits without looking at the flag, so a signal that comes before the wait is lost.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open_now, passed;

static void *guest(void *arg)
{
	pthread_mutex_lock(&lock);
#ifdef LATE
	pthread_cond_wait(&opened, &lock);
#else
	while (!open_now)
		pthread_cond_wait(&opened, &lock);
#endif
	passed++;
	pthread_mutex_unlock(&lock);
	return arg;
}

#ifndef LATE
static void *host(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!open_now)
		pthread_cond_wait(&opened, &lock);
	passed += 2;
	pthread_mutex_unlock(&lock);
	return arg;
}
#endif

int main(void)
{
	pthread_t one;

	pthread_create(&one, NULL, guest, NULL);
#ifndef LATE
	pthread_t other;

	pthread_create(&other, NULL, host, NULL);
#endif
	pthread_mutex_lock(&lock);
	open_now = 1;
	pthread_cond_signal(&opened);
	pthread_mutex_unlock(&lock);
	pthread_join(one, NULL);
#ifndef LATE
	pthread_join(other, NULL);
#endif
	printf("%d\n", passed);
	return 0;
}
