/*
 * thread_local_shared_fixed: a thread passes on the address of its thread-local counter, and both threads change the
 * counter under a mutex.
 */
#include "target.h"

static __thread long counter;
static long *shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *arg)
{
	pthread_mutex_lock(&mutex);
	*shared += 1; /* RACE: other */
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	pthread_t thread;

	shared = &counter;
	thread = start_late(other, NULL, 2);
	pthread_mutex_lock(&mutex);
	counter += 1; /* RACE: own */
	pthread_mutex_unlock(&mutex);
	join(thread);
	if (counter != 2)
		fail("lost update");
	return 0;
}
