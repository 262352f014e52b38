/* A line that loads a pointer, an index and an element on the heap; only the element races. */
#include <pthread.h>
#include <stdlib.h>

struct table {
	int n;
	int *elements;
};

static struct table *table;
static volatile int bad;

static void *reads(void *arg)
{
	bad = table->elements[table->n - 1] + table->elements[0]; /* pair */
	return arg;
}

static void *writes(void *arg)
{
	*(volatile int *)arg = 7; /* pair */
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	table = malloc(sizeof(*table));
	table->n = 4;
	table->elements = calloc(4, sizeof(int));
	pthread_create(&threads[0], NULL, reads, NULL);
	pthread_create(&threads[1], NULL, writes, &table->elements[3]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (bad)
		abort();
	return 0;
}
