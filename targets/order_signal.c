/*
 * order_signal: a thread looks in one section whether the answer is there, and waits for it in another. The signal that
 * comes between is lost.
 *
 * Answer: deadlock, no race: an atomicity violation on the answer.
 * Plain and random runs: never fail, because the thread waits long before the signal comes.
 * Twin: it looks and waits in one section.
 */
#include "late.h"
#include "target.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;
static int answer;

static void *wait_for_answer(void *arg)
{
	int known;

	(void)arg;
	pthread_mutex_lock(&lock);
	known = answer;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (!known)
		pthread_cond_wait(&there, &lock);
	known = answer;
	pthread_mutex_unlock(&lock);
	return known == 42 ? NULL : arg;
}

static void *give_answer(void *arg)
{
	(void)arg;
	come_late();
	pthread_mutex_lock(&lock);
	answer = 42;
	pthread_cond_signal(&there);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_for_answer, NULL);
	pthread_create(&threads[1], NULL, give_answer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
