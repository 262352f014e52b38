/*
 * join_ordered: pthread_create hands data to a thread, and pthread_join hands it back, three times.
 *
 * Answer: silent. Create and join order every access.
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
