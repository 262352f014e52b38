/*
 * waiters timeout|cancel: a thread waits for a signal that never comes, until a timeout or until it is cancelled.
 * Another thread locks and unlocks the mutex again and again. The program prints when the wait ended.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROUNDS 200
#define NAP 50000 /* nanoseconds */

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int round_now, over_at = -1;

static void is_over(void *arg)
{
	(void)arg;
	over_at = round_now;
	pthread_mutex_unlock(&m);
}

static void *waits(void *timed)
{
	struct timespec t;
	int error = 0;

	pthread_mutex_lock(&m);
	pthread_cleanup_push(is_over, NULL);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += NAP;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	while (error != ETIMEDOUT)
		error = timed ? pthread_cond_timedwait(&never, &m, &t) : pthread_cond_wait(&never, &m);
	pthread_cleanup_pop(1);
	return NULL;
}

int main(int argc, char **argv)
{
	int timed = argc > 1 && strcmp(argv[1], "timeout") == 0;
	pthread_t thread;

	pthread_create(&thread, NULL, waits, timed ? &thread : NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&m);
		round_now = i;
		if (i == ROUNDS / 2 && !timed)
			pthread_cancel(thread);
		for (int k = 0; k < 3; k++) {
			pthread_mutex_lock(&n);
			pthread_mutex_unlock(&n);
		}
		pthread_mutex_unlock(&m);
	}
	pthread_join(thread, NULL);
	printf("%d\n", over_at);
	return 0;
}
