/* yield_overflow_fixed: yield_overflow, but the producer waits for a free place. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define ITEMS 5
#define PLACES 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t taken_some = PTHREAD_COND_INITIALIZER;
static int n;

static void *consume(void *arg)
{
	for (int taken = 0; taken < ITEMS;) {
		pthread_mutex_lock(&m);
		taken += n;
		n = 0;
		pthread_cond_signal(&taken_some);
		pthread_mutex_unlock(&m);
		sched_yield();
	}
	return arg;
}

int main(void)
{
	pthread_t consumer;

	pthread_create(&consumer, NULL, consume, NULL);
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&m);
		while (n == PLACES)
			pthread_cond_wait(&taken_some, &m);
		n++;
		pthread_mutex_unlock(&m);
		sched_yield();
	}
	pthread_join(consumer, NULL);
	return 0;
}
