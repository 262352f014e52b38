/*
 * leader_first: main ends with pthread_exit while two threads still work. One of them joins main, and the last thread
 * ends the process.
 *
 * Answer: silent. The result is printed after the first thread of the process has ended, and the exit status is 0.
 */
#include "target.h"

int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t leader;

static void count(void)
{
	pthread_mutex_lock(&lock);
	counter++; /* RACE: increment */
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++)
		count();
	return NULL;
}

static void *heir(void *arg)
{
	pthread_t *other = arg;

	join(leader);
	count();
	join(*other);
	printf("%d\n", counter);
	return NULL;
}

int main(void)
{
	static pthread_t working;

	leader = pthread_self();
	working = start(worker, NULL);
	pthread_detach(start(heir, &working));
	pthread_exit(NULL);
}
