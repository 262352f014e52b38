/* Threads push to one list. Fixed: with a lock. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 40

struct node {
	struct node *next;
	int value;
};

static omp_lock_t lock;
static struct node *head;

int main(void)
{
	int n = 0;

	omp_init_lock(&lock);
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < N; i++) {
		struct node *node = malloc(sizeof(*node));

		if (!node)
			abort();
		node->value = i;
#ifdef FIXED
		omp_set_lock(&lock);
#endif
		node->next = head;
		head = node;
#ifdef FIXED
		omp_unset_lock(&lock);
#endif
	}
	for (struct node *node = head; node; node = node->next)
		n++;
	printf("%d\n", n);
	return 0;
}
