/*
 * c11_atomic: a C11 atomic counter, and data handed over by an atomic flag with release and acquire.
 *
 * Answer: predicted only. Write and read of the data are predicted (atomics are no order to hybrid detection) and
 * cannot be created. The flag's store and load are plain moves of the machine: no race with debug information (the type
 * is _Atomic), at most unclear without.
 * Plain runs: the writer has ended before the reader begins, so that both statements are reached.
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

	atomic_exchange(&flag, 0); /* a locked instruction, so that the flag is seen to be atomic without its type */
	first = start(writer, NULL);
	second = start_late(reader, NULL, 2);
	join(first);
	join(second);
	if (atomic_load(&counter) != 2)
		fail("lost update");
	puts("2");
	return 0;
}
