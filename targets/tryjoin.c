/*
 * tryjoin: pthread_tryjoin_np returns EBUSY for a thread that has not ended. After the thread's end it joins, and what
 * the thread did happens before what main does next. pthread_timedjoin_np times out on a thread that waits.
 *
 * Answer: silent.
 */
#include "target.h"
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

sem_t may_end;
int value;

static void *wait_then_set(void *arg)
{
	sem_wait(&may_end);
	value = 1;
	return arg;
}

int main(void)
{
	struct timespec past = {.tv_sec = 1};
	pthread_t thread;
	void *result = NULL;
	int error;

	sem_init(&may_end, 0, 0);
	thread = start(wait_then_set, &value);
	if (pthread_tryjoin_np(thread, &result) != EBUSY)
		fail("joined a thread that waits");
	if (pthread_timedjoin_np(thread, &result, &past) != ETIMEDOUT)
		fail("pthread_timedjoin_np");
	sem_post(&may_end);
	while ((error = pthread_tryjoin_np(thread, &result)) == EBUSY)
		sched_yield();
	if (error || result != &value)
		fail("pthread_tryjoin_np");
	value++;
	printf("%d\n", value);
	return value != 2;
}
