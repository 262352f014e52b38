/*
 * rwlock_prefers_writers: a reader takes a readers-writer lock a second time. The lock prefers writers, so the reader
 * waits for a writer that waits for the reader's first hold.
 *
 * Answer: deadlock.
 * Plain runs: the writer starts late.
 */
#include "target.h"

pthread_rwlock_t lock;
int value;

static void *reader(void *arg)
{
	int seen = 0;

	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_rdlock(&lock);
	seen += value;
	pthread_rwlock_unlock(&lock);
	pthread_rwlock_unlock(&lock);
	if (seen > 1)
		fail("value");
	return arg;
}

static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	value = 1;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_rwlockattr_t attr;
	pthread_t first, second;

	pthread_rwlockattr_init(&attr);
#ifdef FIXED
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_READER_NP);
#else
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
	pthread_rwlock_init(&lock, &attr);
	first = start(reader, NULL);
	second = start_late(writer, NULL, 2);
	join(first);
	join(second);
	return 0;
}
