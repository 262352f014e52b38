/* Three threads with one atomic addition each: 6 orders, no failure. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

static void *adds(void *arg)
{
	atomic_fetch_add(&value, 1);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, adds, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return value != 3;
}
