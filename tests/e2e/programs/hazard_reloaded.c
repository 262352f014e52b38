/*
 * The reader protects a node with a hazard pointer, but then loads the shared pointer once more and uses what it gets.
 * In nearly all schedules this is the same node. If the writer has exchanged it in between, nothing protects the node,
 * which is freed before it is used.
 *
 * The accesses are atomic and, as a rule, ordered by the hazard pointer, so no run that passes shows a race.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	_Atomic int value;
};

static struct node *_Atomic head, *_Atomic hazard;
static int sum;

static void *reader(void *arg)
{
	struct node *n;

	do {
		n = atomic_load(&head);
		atomic_store(&hazard, n);
	} while (n != atomic_load(&head));
#ifndef FIXED
	n = atomic_load(&head);
#endif
	sum = atomic_fetch_add(&n->value, 1);
	atomic_store(&hazard, NULL);
	return arg;
}

static void retire(struct node *n)
{
	while (atomic_load(&hazard) == n)
		;
	free(n);
}

static struct node *make(int value)
{
	struct node *n = malloc(sizeof(*n));

	if (!n)
		exit(2);
	atomic_init(&n->value, value);
	return n;
}

static void *writer(void *arg)
{
	struct node *a, *b;

	b = make(2);
	a = atomic_exchange(&head, b);
	b = atomic_exchange(&head, make(3));
	retire(b);
	retire(a);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	atomic_store(&head, make(1));
	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return sum < 1;
}
