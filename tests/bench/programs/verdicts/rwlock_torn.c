/* Readers see half of an update in one of the orders: the writer gives up the lock in between. */
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low, high;

static void *reads(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	if (low != high)
		abort();
	pthread_rwlock_unlock(&lock);
	return arg;
}

static void *writes(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	low++;
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_wrlock(&lock);
	high++;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, reads, NULL);
	pthread_create(&threads[2], NULL, writes, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
