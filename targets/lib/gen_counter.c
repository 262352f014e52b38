/*
 * gen_counter: an update is lost without a failure.
 *
 * Answer: gen_counter_add() reads the value in one locked section and stores the sum in another one. What another
 * thread adds in between is lost. Only the results of the calls show it. Twin: one locked section.
 */
#include "gen_counter.h"

#include <pthread.h>
#include <stdlib.h>

struct gen_counter {
	pthread_mutex_t lock;
	long value;
};

struct gen_counter *gen_counter_new(void)
{
	struct gen_counter *counter = calloc(1, sizeof(*counter));

	if (counter)
		pthread_mutex_init(&counter->lock, NULL);
	return counter;
}

void gen_counter_free(struct gen_counter *counter)
{
	pthread_mutex_destroy(&counter->lock);
	free(counter);
}

long gen_counter_add(struct gen_counter *counter, int n)
{
	long sum;

	pthread_mutex_lock(&counter->lock);
	sum = counter->value + n;
#ifndef FIXED
	pthread_mutex_unlock(&counter->lock);
	pthread_mutex_lock(&counter->lock);
#endif
	counter->value = sum;
	pthread_mutex_unlock(&counter->lock);
	return sum;
}

bool gen_counter_read(struct gen_counter *counter, long *value)
{
	pthread_mutex_lock(&counter->lock);
	*value = counter->value;
	pthread_mutex_unlock(&counter->lock);
	return *value != 0;
}

long gen_counter_get(const struct gen_counter *counter)
{
	struct gen_counter *locked = (struct gen_counter *)counter;
	long value;

	pthread_mutex_lock(&locked->lock);
	value = counter->value;
	pthread_mutex_unlock(&locked->lock);
	return value;
}
