/* Three threads lock two of three mutexes each, in a ring. The loop runs twice, and compilers unroll it. */
#include <pthread.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *eat(void *arg)
{
	const long left = (long)arg, right = (left + 1) % 3;

	for (int meal = 0; meal < 2; meal++) {
		pthread_mutex_lock(&forks[left]);
		pthread_mutex_lock(&forks[right]);
		pthread_mutex_unlock(&forks[right]);
		pthread_mutex_unlock(&forks[left]);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, eat, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
