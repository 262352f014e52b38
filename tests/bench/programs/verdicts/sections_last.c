/* One of the six orders of three sections fails. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int digits;

static void *adds(void *arg)
{
	pthread_mutex_lock(&lock);
	digits = digits * 10 + (int)(size_t)arg;
	if (digits == 312)
		abort();
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	for (size_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, adds, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
