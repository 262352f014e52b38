/*
 * deadlock_ring_5: five threads and five mutexes in blocks that one line allocates. Thread i holds mutex i and wants
 * mutex i + 1. Only all five together deadlock.
 *
 * Answer: deadlock, a cycle of five. No race.
 * Plain runs: each thread has ended before the next begins.
 * Twin: every thread locks the mutex with the lower number first.
 */
#include <stdlib.h>

#include "target.h"

#define NODES 5

struct node {
	pthread_mutex_t lock;
	int number, tokens;
	struct node *next;
};

struct node *ring[NODES];

static void *pass(void *arg)
{
	struct node *node = arg, *outer = node, *inner = node->next;

#ifdef FIXED
	if (inner->number < outer->number) {
		outer = node->next;
		inner = node;
	}
#endif
	pthread_mutex_lock(&outer->lock);
	pthread_mutex_lock(&inner->lock); /* WAIT: holds a node, wants the next */
	node->tokens--;
	node->next->tokens++;
	pthread_mutex_unlock(&inner->lock);
	pthread_mutex_unlock(&outer->lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[NODES];

	for (int i = 0; i < NODES; i++) {
		ring[i] = malloc(sizeof(*ring[i]));
		pthread_mutex_init(&ring[i]->lock, NULL);
		ring[i]->number = i;
		ring[i]->tokens = 1;
	}
	for (int i = 0; i < NODES; i++)
		ring[i]->next = ring[(i + 1) % NODES];
	for (int i = 0; i < NODES; i++)
		threads[i] = start_late(pass, ring[i], 2 * i);
	for (int i = 0; i < NODES; i++)
		join(threads[i]);
	printf("%d\n", ring[0]->tokens);
	return 0;
}
