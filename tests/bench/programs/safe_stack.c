/*
 * safe_stack [THREADS [TIMES]] [fixed]: the lock-free stack that Dmitry Vyukov posted as a test for concurrency testers
 * ("SafeStack", 2010), written anew from its description. Its bug needs three threads and at least five switches.
 *
 * The stack is an array of nodes; head and links are indices. A pop first takes the link of the head node, so that no
 * other pop can use it, and puts it back if the exchange of the head fails. So the usual ABA problem seems to be
 * solved. It is not: the link of a node may be taken after the node was popped and pushed, and be put back too late.
 * Then one node is popped by two threads.
 *
 * In the twin, the head has a version, and a pop only reads the link.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 3
#define THREADS_MAX 8
#define NONE (-1)

static struct {
	atomic_int link; /* the node below, or NONE: it is the last one, or somebody is about to pop the node */
	int owner;
} nodes[NODES];

static atomic_long head; /* a node; in the twin, its upper half is a version */
static atomic_int count = NODES;
static bool fixed;
static int times = 2;

static int node_of(long at)
{
	return (int)(at & 0xffffffff);
}

static long new_head(long old, int node)
{
	long version = fixed ? (old >> 32) + 1 : 0;

	return (long)((unsigned long)version << 32 | (unsigned)node);
}

static int pop(void)
{
	while (atomic_load(&count) > 1) {
		long top = atomic_load(&head);
		atomic_int *link = &nodes[node_of(top)].link;
		int below = fixed ? atomic_load(link) : atomic_exchange(link, NONE);

		if (below == NONE)
			continue;
		if (atomic_compare_exchange_strong(&head, &top, new_head(top, below))) {
			atomic_fetch_sub(&count, 1);
			return node_of(top);
		}
		if (!fixed)
			atomic_exchange(link, below);
	}
	return NONE;
}

static void push(int node)
{
	long top = atomic_load(&head);

	do
		atomic_store(&nodes[node].link, node_of(top));
	while (!atomic_compare_exchange_strong(&head, &top, new_head(top, node)));
	atomic_fetch_add(&count, 1);
}

static void *uses(void *arg)
{
	int me = (int)(size_t)arg;

	for (int i = 0; i < times; i++) {
		int node = pop();

		while (node == NONE) {
			sched_yield();
			node = pop();
		}
		nodes[node].owner = me;
		atomic_thread_fence(memory_order_seq_cst);
		sched_yield();
		if (nodes[node].owner != me) {
			fprintf(stderr, "FAIL: two threads have node %d\n", node);
			abort();
		}
		push(node);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	int n = argc > 1 ? atoi(argv[1]) : 3;

	times = argc > 2 ? atoi(argv[2]) : 2;
	fixed = strcmp(argv[argc - 1], "fixed") == 0;
	if (n < 1 || n > THREADS_MAX)
		return 2;
	for (int i = 0; i < NODES; i++)
		atomic_store(&nodes[i].link, i + 1 < NODES ? i + 1 : NONE);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, uses, (void *)(size_t)(i + 1)))
			return 2;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
