/* A trylock that fails does other work, and the work is done later. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *works(void *arg)
{
	int left = 2;

	while (left) {
		if (pthread_mutex_trylock(&lock) != 0)
			pthread_mutex_lock(&lock);
		done++;
		left--;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, works, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (done != 6)
		abort();
	return 0;
}
