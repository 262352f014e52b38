/*
 * needles SHAPE [N]: programs whose bug needs one order among many threads.
 *
 *   setters N    N setters set and reset two variables. A checker fails if it sees only the first of two writes
 *                (reorder_N of the SCTBench programs).
 *   two_stage N  N - 1 threads update data under one lock, then a dependent value under another. A reader fails if
 *                it sees only the first update (twostage_N of the SCTBench programs).
 *   stale        no race: a value is read under a lock. The lock is released and taken again for the write.
 *   lost_signal  no race: a bounded queue whose producer signals only if the queue was empty before.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.h"

static int first, second;
static int data, dependent;
static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER, dependent_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int balance, items;

static void *setter(void *arg)
{
	__atomic_store_n(&first, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&second, -1, __ATOMIC_SEQ_CST);
	return arg;
}

static void *checker(void *arg)
{
	int a = __atomic_load_n(&first, __ATOMIC_SEQ_CST), b = __atomic_load_n(&second, __ATOMIC_SEQ_CST);

	if (!((a == 0 && b == 0) || (a == 1 && b == -1)))
		fail("half of it");
	return arg;
}

static void *stage_writer(void *arg)
{
	int value;

	pthread_mutex_lock(&data_lock);
	data = 1;
	pthread_mutex_unlock(&data_lock);
	pthread_mutex_lock(&dependent_lock);
	value = data;
	dependent = value + 1;
	pthread_mutex_unlock(&dependent_lock);
	return arg;
}

static void *stage_reader(void *arg)
{
	int t1, t2;

	pthread_mutex_lock(&data_lock);
	t1 = data;
	pthread_mutex_unlock(&data_lock);
	if (t1 == 0)
		return arg;
	pthread_mutex_lock(&dependent_lock);
	t2 = dependent;
	pthread_mutex_unlock(&dependent_lock);
	if (t2 != t1 + 1)
		fail("the second stage is missing");
	return arg;
}

static void *deposit(void *arg)
{
	int old;

	pthread_mutex_lock(&data_lock);
	old = balance;
	pthread_mutex_unlock(&data_lock);
	pthread_mutex_lock(&data_lock);
	balance = old + 1;
	pthread_mutex_unlock(&data_lock);
	return arg;
}

static void *consumer(void *arg)
{
	pthread_mutex_lock(&data_lock);
	while (items == 0)
		pthread_cond_wait(&filled, &data_lock);
	items--;
	pthread_mutex_unlock(&data_lock);
	return arg;
}

static void *producer(void *arg)
{
	pthread_mutex_lock(&data_lock);
	if (items++ == 0)
		pthread_cond_signal(&filled);
	pthread_mutex_unlock(&data_lock);
	return arg;
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 2;

	if (strcmp(shape, "setters") == 0) {
		start(setter, n);
		start(checker, 1);
	} else if (strcmp(shape, "two_stage") == 0) {
		start(stage_writer, n - 1);
		start(stage_reader, 1);
	} else if (strcmp(shape, "stale") == 0) {
		start(deposit, n);
	} else if (strcmp(shape, "lost_signal") == 0) {
		/* started in this order, it rarely hangs by itself */
		start(producer, n);
		start(consumer, n);
	} else {
		return 2;
	}
	join_started();
	if (strcmp(shape, "stale") == 0 && balance != n)
		fail("a deposit is lost");
	return 0;
}
