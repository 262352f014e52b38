/*
 * deadlock_behind_writers: two threads read under two readers-writer locks, in opposite orders. The locks prefer
 * writers, and two other threads write. Each reader waits for a writer, which waits for the other reader.
 *
 * Answer: deadlock of four threads. No race.
 * Plain runs: the threads start one after the other.
 * Twin: the locks prefer readers, so the readers never wait for each other.
 */
#include "target.h"

pthread_rwlock_t a, b;
int in_a, in_b;

static void *read_a_b(void *arg)
{
	int seen;

	pthread_rwlock_rdlock(&a);
	pthread_rwlock_rdlock(&b); /* WAIT: reads a */
	seen = in_a + in_b;
	pthread_rwlock_unlock(&b);
	pthread_rwlock_unlock(&a);
	return seen < 0 ? arg : NULL;
}

static void *read_b_a(void *arg)
{
	int seen;

	pthread_rwlock_rdlock(&b);
	pthread_rwlock_rdlock(&a); /* WAIT: reads b */
	seen = in_a + in_b;
	pthread_rwlock_unlock(&a);
	pthread_rwlock_unlock(&b);
	return seen < 0 ? arg : NULL;
}

static void *write_a(void *arg)
{
	pthread_rwlock_wrlock(&a);
	in_a++;
	pthread_rwlock_unlock(&a);
	return arg;
}

static void *write_b(void *arg)
{
	pthread_rwlock_wrlock(&b);
	in_b++;
	pthread_rwlock_unlock(&b);
	return arg;
}

int main(void)
{
	void *(*const routines[])(void *) = {read_a_b, write_a, write_b, read_b_a};
	pthread_rwlockattr_t attr;
	pthread_t threads[4];

	pthread_rwlockattr_init(&attr);
#ifndef FIXED
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
	pthread_rwlock_init(&a, &attr);
	pthread_rwlock_init(&b, &attr);
	for (int i = 0; i < 4; i++)
		threads[i] = start_late(routines[i], NULL, 2 * i);
	for (int i = 0; i < 4; i++)
		join(threads[i]);
	return 0;
}
