/*
 * torn_struct: one thread copies a structure of 512 bytes into a shared place with memcpy, and another copies it out.
 * No instruction of the program itself accesses the shared bytes; the C library's memcpy does.
 *
 * Answer: the pair copy-in:copy-out is real and harmful: a reader in the middle of the copy sees two values in one
 * structure, and aborts. To find that, rfsup must be able to stop a memcpy half-way.
 * Plain runs: almost never fail, because the writer has ended before the reader begins.
 * Twin: one mutex protects both copies.
 */
#include "target.h"
#include <string.h>

#define WORDS 64

struct snapshot {
	unsigned long words[WORDS];
};

struct snapshot shared;
size_t snapshot_size = sizeof(shared); /* a variable, so that the compiler keeps the calls */
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
