/* Four threads with one section each: 24 orders, no failure. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *adds(void *arg)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, adds, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return value != 4;
}
