/*
 * With POINT: a thread has a switch point of rfsup.h between two accesses that nothing else divides. The program fails
 * if another thread runs there. REGION: one of two races is in a region of interest.
 */
#include <pthread.h>
#include <stdlib.h>

#include "../../../policy/rfsup.h"

static volatile int inside, outside;

static void *first(void *arg)
{
#ifdef REGION
	outside++;
	RFSUP_REGION_BEGIN();
	inside++;
	RFSUP_REGION_END();
	outside++;
#else
	inside = 1;
#ifdef POINT
	RFSUP_POINT();
#endif
	if (inside != 1)
		abort();
#endif
	return arg;
}

static void *second(void *arg)
{
#ifdef REGION
	outside++;
	RFSUP_REGION_BEGIN();
	inside++;
	RFSUP_REGION_END();
#else
	inside = 2;
#endif
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	if (pthread_create(&threads[0], NULL, first, NULL) || pthread_create(&threads[1], NULL, second, NULL))
		return 2;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
