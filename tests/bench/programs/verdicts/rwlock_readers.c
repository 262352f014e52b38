/* Two readers and one writer of a readers-writer lock have four orders: readers commute. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen[2];

static void *reads(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	seen[(size_t)arg] = value;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *writes(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	value++;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, reads, (void *)i);
	pthread_create(&threads[2], NULL, writes, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
