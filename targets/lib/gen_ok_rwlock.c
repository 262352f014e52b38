/*
 * gen_ok_rwlock: a type that a reader-writer lock guards. What a reader has seen is checked again by the writer.
 *
 * Answer: nothing is found.
 */
#include "gen_ok_rwlock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gen_names {
	pthread_rwlock_t lock;
	char **list;
	size_t n, room;
};

struct gen_names *gen_names_new(void)
{
	struct gen_names *names = calloc(1, sizeof(*names));

	if (names)
		pthread_rwlock_init(&names->lock, NULL);
	return names;
}

void gen_names_free(struct gen_names *names)
{
	while (gen_names_forget(names))
		;
	free(names->list);
	pthread_rwlock_destroy(&names->lock);
	free(names);
}

static int find(const struct gen_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->list[i], name) == 0)
			return (int)i;
	return -1;
}

static int add(struct gen_names *names, const char *name)
{
	if (names->n == names->room) {
		names->room = names->room * 2 + 1;
		names->list = realloc(names->list, names->room * sizeof(*names->list));
	}
	names->list[names->n] = strdup(name);
	return (int)names->n++;
}

int gen_names_find(struct gen_names *names, const char *name)
{
	int number;

	pthread_rwlock_rdlock(&names->lock);
	number = find(names, name);
	pthread_rwlock_unlock(&names->lock);
	return number;
}

int gen_names_number(struct gen_names *names, const char *name)
{
	int number = gen_names_find(names, name);

	if (number >= 0)
		return number;
	pthread_rwlock_wrlock(&names->lock);
	number = find(names, name); /* another thread may have added it */
	if (number < 0)
		number = add(names, name);
	pthread_rwlock_unlock(&names->lock);
	return number;
}

bool gen_names_copy(struct gen_names *names, int number, char *out, size_t size)
{
	bool known;

	pthread_rwlock_rdlock(&names->lock);
	known = number >= 0 && (size_t)number < names->n;
	if (known)
		snprintf(out, size, "%s", names->list[number]);
	pthread_rwlock_unlock(&names->lock);
	return known;
}

bool gen_names_forget(struct gen_names *names)
{
	bool forgotten;

	pthread_rwlock_wrlock(&names->lock);
	forgotten = names->n > 0;
	if (forgotten)
		free(names->list[--names->n]);
	pthread_rwlock_unlock(&names->lock);
	return forgotten;
}

size_t gen_names_count(struct gen_names *names)
{
	size_t n;

	pthread_rwlock_rdlock(&names->lock);
	n = names->n;
	pthread_rwlock_unlock(&names->lock);
	return n;
}
