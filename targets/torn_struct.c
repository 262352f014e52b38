/*
 * torn_struct: one thread copies a structure of 512 bytes into a shared place by a call of memcpy, another copies it
 * out. No single instruction of this program touches the shared bytes; the C library does it for the two calls.
 *
 * Answer: copy in with copy out is real and harmful: a reader in the middle of the copy sees two values in one
 * structure, and aborts. That needs a range access that can be left half done.
 * Plain runs: the writer has ended before the reader begins; almost never.
 * Twin: both copies under one mutex.
 */
#include "target.h"
#include <string.h>

#define WORDS 64

struct snapshot {
	unsigned long words[WORDS];
};

struct snapshot shared;
size_t snapshot_size = sizeof(shared); /* no constant: the compiler is to keep the calls */
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	struct snapshot mine;

	(void)arg;
	for (int i = 0; i < WORDS; i++)
		mine.words[i] = 1;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	memcpy(&shared, &mine, snapshot_size); /* RACE: copy-in */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

static void *reader(void *arg)
{
	struct snapshot mine;

	(void)arg;
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	memcpy(&mine, &shared, snapshot_size); /* RACE: copy-out */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	for (int i = 1; i < WORDS; i++) {
		if (mine.words[i] != mine.words[0])
			fail("torn copy");
	}
	return NULL;
}

int main(void)
{
	pthread_t first, second;

	first = start(writer, NULL);
	second = start_late(reader, NULL, 2);
	join(first);
	join(second);
	puts("whole");
	return 0;
}
