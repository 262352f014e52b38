/*
 * atomic_owner_fixed: two threads take a resource with one compare-and-exchange, so that only one of them gets it.
 * The same code, apart from the fix. It is silent.
 */
#include "target.h"

int owner;
int inside;

static void *take(void *arg)
{
	(void)arg;
	if (__atomic_compare_exchange_n(&owner, &(int){0}, 1, 0, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)) { /* RACE: check */
		if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) != 1)
			fail("two owners");
		__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&owner, 0, __ATOMIC_RELEASE); /* RACE: leave */
	}
	return NULL;
}

int main(void)
{
	pthread_t first = start(take, NULL), second = start_late(take, NULL, 2);

	join(first);
	join(second);
	return 0;
}
