/*
 * rwlock_ok: a writer and two readers, all with the right kind of lock. One reader uses tryrdlock.
 *
 * Answer: silent. Holds for reading and holds for writing exclude each other.
 */
#include "target.h"

int left = 5, right = 5;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *arg)
{
	(void)arg;
	pthread_rwlock_wrlock(&lock);
	left--;	 /* RACE: left */
	right++; /* RACE: right */
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *reader(void *arg)
{
	if (arg) {
		if (pthread_rwlock_tryrdlock(&lock))
			return NULL;
	} else {
		pthread_rwlock_rdlock(&lock);
	}
	if (left + right != 10) /* RACE: sum */
		fail("saw half a change");
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	threads[0] = start(reader, NULL);
	threads[1] = start(writer, NULL);
	threads[2] = start(reader, &left);
	for (int i = 0; i < 3; i++)
		join(threads[i]);
	printf("%d %d\n", left, right);
	return 0;
}
