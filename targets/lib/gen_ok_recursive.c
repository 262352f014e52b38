/*
 * gen_ok_recursive: a type that a recursive mutex guards. Its methods call each other with the mutex held, and callers
 * may hold it over several calls.
 *
 * Answer: nothing is found. If a thread keeps the mutex, another thread waits for ever in every order of the calls, so
 * this is not a finding.
 */
#include "gen_ok_recursive.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct number {
	struct number *next;
	int value;
};

struct gen_numbers {
	pthread_mutex_t lock;
	struct number *first;
	size_t n;
};

struct gen_numbers *gen_numbers_new(void)
{
	struct gen_numbers *set = calloc(1, sizeof(*set));
	pthread_mutexattr_t attributes;

	if (!set)
		return NULL;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&set->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return set;
}

void gen_numbers_free(struct gen_numbers *set)
{
	while (set->first)
		gen_numbers_remove(set, set->first->value);
	pthread_mutex_destroy(&set->lock);
	free(set);
}

void gen_numbers_lock(struct gen_numbers *set)
{
	pthread_mutex_lock(&set->lock);
}

bool gen_numbers_unlock(struct gen_numbers *set)
{
	return pthread_mutex_unlock(&set->lock) == 0;
}

/* The pointer to the first number that is not less. */
static struct number **place(struct gen_numbers *set, int value)
{
	struct number **at = &set->first;

	while (*at && (*at)->value < value)
		at = &(*at)->next;
	return at;
}

bool gen_numbers_contains(struct gen_numbers *set, int value)
{
	struct number **at;
	bool found;

	gen_numbers_lock(set);
	at = place(set, value);
	found = *at && (*at)->value == value;
	gen_numbers_unlock(set);
	return found;
}

bool gen_numbers_add(struct gen_numbers *set, int value)
{
	bool added = false;

	gen_numbers_lock(set);
	if (!gen_numbers_contains(set, value)) {
		struct number *number = malloc(sizeof(*number)), **at = place(set, value);

		*number = (struct number){*at, value};
		*at = number;
		set->n++;
		added = true;
	}
	gen_numbers_unlock(set);
	return added;
}

bool gen_numbers_remove(struct gen_numbers *set, int value)
{
	bool removed = false;

	gen_numbers_lock(set);
	if (gen_numbers_contains(set, value)) {
		struct number **at = place(set, value), *number = *at;

		*at = number->next;
		free(number);
		set->n--;
		removed = true;
	}
	gen_numbers_unlock(set);
	return removed;
}

bool gen_numbers_replace(struct gen_numbers *set, int before, int after)
{
	bool replaced;

	gen_numbers_lock(set);
	replaced = gen_numbers_remove(set, before);
	if (replaced) {
		gen_numbers_add(set, after);
		assert(gen_numbers_contains(set, after));
	}
	gen_numbers_unlock(set);
	return replaced;
}

size_t gen_numbers_count(struct gen_numbers *set)
{
	size_t n = 0;

	gen_numbers_lock(set);
	for (const struct number *number = set->first; number; number = number->next)
		n++;
	assert(n == set->n);
	gen_numbers_unlock(set);
	return n;
}
