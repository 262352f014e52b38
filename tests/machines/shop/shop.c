/* shop.c - two customers buy until nothing is left. Each looks first, and buys later, so one item may be sold twice. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

void stock_fill(int n);
int stock_left(void);
void stock_take(void);

static void *customer(void *unused)
{
	for (int i = 0; i < 3; i++)
		if (stock_left() > 0)
			stock_take();
	return unused;
}

int main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "r") : NULL;
	pthread_t threads[2];
	int items;

	if (!in || fscanf(in, "%d", &items) != 1)
		return 0;
	stock_fill(items);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, customer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(stock_left() >= 0);
	return 0;
}
