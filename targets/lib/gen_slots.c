/*
 * gen_slots: a condition is signalled before the state is set.
 *
 * Answer: gen_slots_give() wakes a thread that waits, and then counts the free slot. If this thread looks before that,
 * it sees no free slot and waits again. Then no thread wakes it.
 * Twin: counts the slot first.
 */
#include "gen_slots.h"

#include <pthread.h>
#include <stdlib.h>

struct gen_slots {
	pthread_mutex_t lock;
	pthread_cond_t given;
	size_t n, free;
};

struct gen_slots *gen_slots_new(size_t n_slots)
{
	struct gen_slots *slots = calloc(1, sizeof(*slots));

	if (slots) {
		pthread_mutex_init(&slots->lock, NULL);
		pthread_cond_init(&slots->given, NULL);
		slots->n = slots->free = n_slots ? n_slots : 1;
	}
	return slots;
}

void gen_slots_free(struct gen_slots *slots)
{
	pthread_cond_destroy(&slots->given);
	pthread_mutex_destroy(&slots->lock);
	free(slots);
}

void gen_slots_take(struct gen_slots *slots)
{
	pthread_mutex_lock(&slots->lock);
	while (!slots->free)
		pthread_cond_wait(&slots->given, &slots->lock);
	slots->free--;
	pthread_mutex_unlock(&slots->lock);
}

bool gen_slots_try(struct gen_slots *slots)
{
	bool taken;

	pthread_mutex_lock(&slots->lock);
	taken = slots->free > 0;
	slots->free -= taken;
	pthread_mutex_unlock(&slots->lock);
	return taken;
}

bool gen_slots_give(struct gen_slots *slots)
{
	bool given;

#ifndef FIXED
	pthread_cond_signal(&slots->given);
#endif
	pthread_mutex_lock(&slots->lock);
	given = slots->free < slots->n;
	slots->free += given;
	pthread_mutex_unlock(&slots->lock);
#ifdef FIXED
	if (given)
		pthread_cond_signal(&slots->given);
#endif
	return given;
}

size_t gen_slots_left(struct gen_slots *slots)
{
	size_t n;

	pthread_mutex_lock(&slots->lock);
	n = slots->free;
	pthread_mutex_unlock(&slots->lock);
	return n;
}
