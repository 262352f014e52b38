/*
 * atomicity_owner: two threads take a slot if it has no owner, with an atomic load and an atomic store. Both may find
 * it free.
 *
 * Answer: failure, no race: an atomicity violation R-w-W of atomic accesses.
 * Plain and random runs: never fail, because one thread has taken the slot long before the other looks.
 * Twin: a compare-and-exchange.
 */
#include <stdatomic.h>

#include "late.h"
#include "target.h"

static atomic_int owner, owners;

__attribute__((noinline)) static void take(int me)
{
#ifdef FIXED
	int nobody = 0;

	if (!atomic_compare_exchange_strong(&owner, &nobody, me))
		return;
#else
	if (atomic_load(&owner))
		return;
	atomic_store(&owner, me);
#endif
	if (atomic_fetch_add(&owners, 1) > 0)
		abort();
}

static void *take_early(void *arg)
{
	(void)arg;
	take(1);
	return NULL;
}

static void *take_late(void *arg)
{
	(void)arg;
	come_late();
	take(2);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, take_early, NULL);
	pthread_create(&threads[1], NULL, take_late, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
