/*
 * reused_memory: one thread keeps a pointer into a list, while another thread lets the list grow. The old memory of the
 * list then becomes a node, whose first word the other thread writes.
 *
 * Answer: the pair use:grow is real, because realloc() moves the list. The pair use:node is harmful, although nothing
 * shows: it is a use after free.
 * Plain runs: the user has ended before the list grows.
 * Twin: the user holds the lock until it has used the pointer.
 */
#include "target.h"

#define ITEMS 8

struct node {
	long value, rest[ITEMS - 1];
};

static long *list;
static struct node *node;
static void *last;
long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *arg)
{
	long *first;

	pthread_mutex_lock(&lock);
	first = list;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	sum += *first; /* RACE: use */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return arg;
}

static void *grower(void *arg)
{
	pthread_mutex_lock(&lock);
	list = realloc(list, 64 * ITEMS * sizeof(*list)); /* RACE: grow */
	node = malloc(sizeof(*node));
	node->value = 7; /* RACE: node */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t first, second;

	list = calloc(ITEMS, sizeof(*list));
	last = malloc(1); /* so that realloc() has to move the list */
	second = start_late(grower, NULL, 2);
	first = start(user, NULL);
	join(first);
	join(second);
	free(list);
	free(node);
	free(last);
	return 0;
}
