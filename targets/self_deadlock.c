/*
 * self_deadlock: a thread that finds work pending calls a function that locks a mutex which the thread already holds.
 *
 * Answer: deadlock of one thread with itself, a cycle of one, because it locks a normal mutex twice. No race.
 * Plain runs: almost never fail, because the thread that looks has ended before the other one leaves work.
 * Twin: releases the mutex before the call.
 */
#include "target.h"

int pending, flushed;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void flush(void)
{
	pthread_mutex_lock(&lock); /* WAIT: lock with lock held */
	flushed += pending;
	pending = 0;
	pthread_mutex_unlock(&lock);
}

static void *look(void *arg)
{
	int found;

	(void)arg;
	pthread_mutex_lock(&lock);
	found = pending;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
	if (found)
		flush();
#else
	if (found)
		flush();
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

static void *leave_work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	pending++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(look, NULL);
	second = start_late(leave_work, NULL, 10);
	join(first);
	join(second);
	printf("%d\n", pending + flushed);
	return 0;
}
