/*
 * seqlock_usual: a sequence lock as it is usually written (Lameter, Effective Synchronization on Linux/NUMA Systems,
 * 2005) without any fence. x86 processors keep the order of stores and the order of loads, and nothing else is needed.
 *
 * Answer: nothing, also with --memory-model tso.
 * Plain runs: never.
 */
#include "tso.h"

int sequence, left, right;

static void *reader(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++) {
		int before = LOAD(sequence), a = LOAD(left), b = LOAD(right);

		if (before % 2 == 0 && LOAD(sequence) == before && a != b)
			fail("half of an update");
	}
	return NULL;
}

static void *writer(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 2; i++) {
		STORE(sequence, 2 * i - 1);
		STORE(left, i);
		STORE(right, i);
		STORE(sequence, 2 * i);
	}
	return NULL;
}

int main(void)
{
	pthread_t first = start(reader, NULL), second = start_late(writer, NULL, 3);

	join(first);
	join(second);
	puts("done");
	return 0;
}
