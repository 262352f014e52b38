/*
 * tso_seqlock: a sequence lock whose reader announces that it reads, instead of reading the sequence number again. The
 * writer makes the number odd and waits until no reader is inside. Both sides store and then load what the other side
 * has stored, and the fence between is missing. (The usual form, seqlock_usual, needs no fence on x86.)
 *
 * Answer: nothing without --memory-model tso. With it, the reader finds half of an update.
 * Plain runs: almost never, because the writer begins late.
 * Twin: has the fences; nothing under either memory model.
 */
#include "tso.h"

int sequence, reading, left, right;

static void *reader(void *arg)
{
	int a, b;

	(void)arg;
	for (int i = 0; i < 2; i++) {
		STORE(reading, 1);
		FENCE;
		if (LOAD(sequence) % 2 == 0) {
			a = LOAD(left);
			b = LOAD(right);
			if (a != b)
				fail("half of an update");
		}
		STORE(reading, 0);
	}
	return NULL;
}

static void *writer(void *arg)
{
	(void)arg;
	STORE(sequence, 1);
	FENCE;
	while (LOAD(reading))
		sched_yield();
	STORE(left, 1);
	STORE(right, 1);
	STORE(sequence, 2);
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
