/*
 * marked: two counters must always be equal while the lock is free. The program says so with RFSUP_ASSERT(), which
 * only rfsup evaluates.
 *
 * Answer: the assertion fails if the checker runs between the two sections. There is no data race.
 * Plain runs: never fail, because nothing evaluates the condition.
 * Twin: both counters change in one section.
 */
#include "policy/rfsup.h"
#include "target.h"

int first, second;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *arg)
{
	pthread_mutex_lock(&lock);
	first++;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	RFSUP_POINT();
	pthread_mutex_lock(&lock);
#endif
	second++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *check(void *arg)
{
	pthread_mutex_lock(&lock);
	RFSUP_ASSERT(first == second);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t changer = start(change, NULL), checker = start(check, NULL);

	pthread_join(changer, NULL);
	pthread_join(checker, NULL);
	return 0;
}
