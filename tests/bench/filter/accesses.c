/*
 * A thread makes COUNT accesses, which are all of one kind: `dropped` reads and writes a few words again and again, so
 * the filter of stubs drops almost all of them. `recorded` accesses new memory each time, so none is dropped.
 * usage: accesses dropped|recorded COUNT
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (1ul << 24)
#define FEW 64

static volatile uint32_t *words;
static unsigned long count;
static int recorded;

static void *work(void *arg)
{
	const unsigned long mask = recorded ? WORDS - 1 : FEW - 1;

	for (unsigned long i = 0; i < count; i += 2) {
		const unsigned long at = i & mask;

		words[at + 1] = words[at];
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 3 || !(words = calloc(WORDS + 2, sizeof(*words))))
		return 2;
	recorded = !strcmp(argv[1], "recorded");
	count = strtoul(argv[2], NULL, 10);
	/* the loop is measured, not the first use of the memory */
	memset((void *)words, 1, (WORDS + 2) * sizeof(*words));
	if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
		return 2;
	return 0;
}
