/*
 * deadlock_rwlocks: two threads read under one readers-writer lock and then write under another one, in opposite
 * orders.
 *
 * Answer: deadlock of two threads. No race.
 * Plain runs: the second thread starts late.
 * Twin: they only read under the second lock, so they never wait for each other.
 */
#include "target.h"

pthread_rwlock_t users = PTHREAD_RWLOCK_INITIALIZER, groups = PTHREAD_RWLOCK_INITIALIZER;
int n_users, n_groups;

static void inner(pthread_rwlock_t *lock)
{
#ifdef FIXED
	pthread_rwlock_rdlock(lock);
#else
	pthread_rwlock_wrlock(lock); /* WAIT: reads the other one */
#endif
}

static void *count_users(void *arg)
{
	pthread_rwlock_rdlock(&users);
	inner(&groups);
	if (n_users)
		puts("some");
	pthread_rwlock_unlock(&groups);
	pthread_rwlock_unlock(&users);
	return arg;
}

static void *count_groups(void *arg)
{
	pthread_rwlock_rdlock(&groups);
	inner(&users);
	if (n_groups)
		puts("some");
	pthread_rwlock_unlock(&users);
	pthread_rwlock_unlock(&groups);
	return arg;
}

int main(void)
{
	pthread_t first = start(count_users, NULL), second = start_late(count_groups, NULL, 2);

	join(first);
	join(second);
	return 0;
}
