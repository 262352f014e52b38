/*
 * join_ordered: data goes into a thread by pthread_create and out by pthread_join, and on to the next thread.
 *
 * Answer: silent; create and join order every access.
 */
#include "target.h"

int data = 1;

static void *twice(void *arg)
{
	(void)arg;
	data *= 2; /* RACE: double */
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		join(start(twice, NULL));
		data++; /* RACE: increment */
	}
	printf("%d\n", data);
	return 0;
}
