/*
 * atomicity_refcount: a thread finds an object in one section and counts itself as its user in another. The last user
 * may free the object between the two.
 *
 * Answer: failure, no race: an atomicity violation with a free.
 * Plain and random runs: never fail, because the object is in use long before it is dropped.
 * Twin: one section.
 */
#include "late.h"
#include "target.h"

struct object {
	long magic, users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *table[4];

static void drop(struct object *object)
{
	if (--object->users == 0) {
		table[2] = NULL;
		object->magic = 0;
		free(object);
	}
}

static void *use(void *arg)
{
	struct object *object;

	(void)arg;
	pthread_mutex_lock(&lock);
	object = table[2];
	if (object && object->magic != 77)
		object = NULL;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (object) {
		object->users++;
		if (object->magic != 77)
			abort();
		drop(object);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *close_object(void *arg)
{
	(void)arg;
	come_late();
	pthread_mutex_lock(&lock);
	drop(table[2]);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	table[2] = malloc(sizeof(*table[2]));
	*table[2] = (struct object){.magic = 77, .users = 1};
	pthread_create(&threads[0], NULL, use, NULL);
	pthread_create(&threads[1], NULL, close_object, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
