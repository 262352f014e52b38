/*
 * once_init: two threads use a table that pthread_once fills.
 *
 * Answer: silent. pthread_once orders the filling before every use.
 */
#include "target.h"

int table[4];
pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
	for (int i = 0; i < 4; i++)
		table[i] = i + 1; /* RACE: fill */
}

static void *use(void *arg)
{
	(void)arg;
	pthread_once(&once, fill);
	if (table[3] != 4) /* RACE: use */
		fail("used before it was filled");
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(use, NULL);
	second = start(use, NULL);
	join(first);
	join(second);
	puts("4");
	return 0;
}
