/* many_threads.c - 1,100 threads, a few at a time, change a number. Prints it. */
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 550

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long number;

static void *change(void *arg)
{
	pthread_mutex_lock(&lock);
	number++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t threads[2];

		for (int k = 0; k < 2; k++)
			pthread_create(&threads[k], NULL, change, NULL);
		for (int k = 0; k < 2; k++)
			pthread_join(threads[k], NULL);
	}
	printf("%ld\n", number);
	return number != 2L * ROUNDS;
}
