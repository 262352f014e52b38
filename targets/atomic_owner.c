/*
 * atomic_owner: two threads take a resource with a check and a store, both atomic. Between them the other thread can do
 * the same. No access is a data race: plain ints are accessed with the compiler's atomic builtins.
 *
 * Answer: failure. The loads and stores are plain `mov` instructions. Only because the source says that they are atomic
 * are they switch points at sync. Without debug information, the pair is tried and is harmful.
 * Plain runs: the second thread starts late.
 * Twin: check and store are one critical section.
 */
#include "target.h"

int owner;
int inside;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *arg)
{
	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&mutex);
#endif
	if (__atomic_load_n(&owner, __ATOMIC_ACQUIRE) == 0) {  /* RACE: check */
		__atomic_store_n(&owner, 1, __ATOMIC_RELEASE); /* RACE: take */
		if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) != 1)
			fail("two owners");
		__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&owner, 0, __ATOMIC_RELEASE); /* RACE: leave */
	}
#ifdef FIXED
	pthread_mutex_unlock(&mutex);
#endif
	return NULL;
}

int main(void)
{
	pthread_t first = start(take, NULL), second = start_late(take, NULL, 2);

	join(first);
	join(second);
	return 0;
}
