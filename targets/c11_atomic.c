/*
 * c11_atomic: a C11 atomic counter, and data that is handed over by an atomic flag with release and acquire.
 *
 * Answer: predicted-only. The write and the read of the data are predicted, because hybrid detection ignores the order
 * that atomics give; the race cannot be created. The flag's store and load are plain `mov` instructions. With debug
 * information they are no race, because the type is _Atomic; without it, they are unclear at worst.
 * Plain runs: the writer ends before the reader begins, so both statements are reached.
 */
#include "target.h"
#include <stdatomic.h>

int data;
_Atomic int flag = 1;
_Atomic long counter;

static void *writer(void *arg)
{
	(void)arg;
	atomic_fetch_add(&counter, 1);
	data = 42;					       /* RACE: write */
	atomic_store_explicit(&flag, 1, memory_order_release); /* RACE: flag-store */
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	atomic_fetch_add(&counter, 1);
	if (atomic_load_explicit(&flag, memory_order_acquire)) { /* RACE: flag-load */
		if (data != 42)					 /* RACE: read */
			fail("read too early");
	}
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	atomic_exchange(&flag, 0); /* the lock prefix shows that the flag is atomic, even without its type */
	first = start(writer, NULL);
	second = start_late(reader, NULL, 2);
	join(first);
	join(second);
	if (atomic_load(&counter) != 2)
		fail("lost update");
	puts("2");
	return 0;
}
