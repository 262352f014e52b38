/*
 * counter.c - a test that fails in rare schedules only: two threads read and write the counter in two critical
 * sections. Compiled with -DFIXED, it has one critical section and always passes.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static int get(void)
{
	int value;

	pthread_mutex_lock(&lock);
	value = counter;
	pthread_mutex_unlock(&lock);
	return value;
}

static void set(int value)
{
	pthread_mutex_lock(&lock);
	counter = value;
	pthread_mutex_unlock(&lock);
}

static void *increment(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
#else
	set(get() + 1);
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, increment, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (get() == 2)
		return 0;
	fprintf(stderr, "the counter is %d after two increments\n", get());
	set(0);
	return 1;
}
