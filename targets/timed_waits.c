/*
 * timed_waits: calls every timed wait of the C library, without anything that would end the wait: mutex (timedlock and
 * clocklock), rwlock, condition variable (timedwait and clockwait), semaphore (timedwait and clockwait), join. In a
 * plain run, each times out after 0.3 ms.
 *
 * Answer: silent. All nine waits time out. A thread that waits for its timeout is no deadlock.
 */
#include "target.h"
#include <errno.h>
#include <semaphore.h>
#include <time.h>

pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
sem_t empty, stay;

static struct timespec soon(clockid_t clock)
{
	struct timespec when;

	clock_gettime(clock, &when);
	when.tv_nsec += 300000;
	if (when.tv_nsec >= 1000000000) {
		when.tv_sec++;
		when.tv_nsec -= 1000000000;
	}
	return when;
}

static void *stayer(void *arg)
{
	sem_wait(&stay);
	return arg;
}

static void *wait_in_vain(void *arg)
{
	pthread_t other = *(pthread_t *)arg;
	struct timespec when;
	long timeouts = 0;

	when = soon(CLOCK_REALTIME);
	timeouts += pthread_mutex_timedlock(&held, &when) == ETIMEDOUT;
	when = soon(CLOCK_MONOTONIC);
	timeouts += pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &when) == ETIMEDOUT;
	when = soon(CLOCK_REALTIME);
	timeouts += pthread_rwlock_timedrdlock(&written, &when) == ETIMEDOUT;
	when = soon(CLOCK_MONOTONIC);
	timeouts += pthread_rwlock_clockwrlock(&written, CLOCK_MONOTONIC, &when) == ETIMEDOUT;
	pthread_mutex_lock(&lock);
	when = soon(CLOCK_REALTIME);
	timeouts += pthread_cond_timedwait(&changed, &lock, &when) == ETIMEDOUT;
	when = soon(CLOCK_MONOTONIC);
	timeouts += pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &when) == ETIMEDOUT;
	pthread_mutex_unlock(&lock);
	when = soon(CLOCK_REALTIME);
	timeouts += sem_timedwait(&empty, &when) == -1 && errno == ETIMEDOUT;
	when = soon(CLOCK_MONOTONIC);
	timeouts += sem_clockwait(&empty, CLOCK_MONOTONIC, &when) == -1 && errno == ETIMEDOUT;
	when = soon(CLOCK_REALTIME);
	timeouts += pthread_timedjoin_np(other, NULL, &when) == ETIMEDOUT;
	return (void *)timeouts;
}

int main(void)
{
	pthread_t staying, waiting;
	long timeouts;

	sem_init(&empty, 0, 0);
	sem_init(&stay, 0, 0);
	pthread_mutex_lock(&held);
	pthread_rwlock_wrlock(&written);
	staying = start(stayer, NULL);
	waiting = start(wait_in_vain, &staying);
	timeouts = (long)join(waiting);
	pthread_rwlock_unlock(&written);
	pthread_mutex_unlock(&held);
	sem_post(&stay);
	join(staying);
	if (timeouts != 9)
		fail("a wait in vain did not time out");
	printf("%ld timeouts\n", timeouts);
	return 0;
}
