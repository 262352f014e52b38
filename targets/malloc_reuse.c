/*
 * malloc_reuse: two threads get, fill and free a block of their own; with one arena, the C library gives the second
 * thread the block that the first has freed.
 *
 * Answer: silent; the same address is two objects. Only a detector that forgets nothing at free sees a pair here.
 */
#include "target.h"
#include <malloc.h>
#include <string.h>

/* More than the C library keeps in a thread's own cache (1,032 bytes, glibc's tcache). */
#define BLOCK_SIZE 4096

static void *use(void *arg)
{
	long *block = malloc(BLOCK_SIZE);
	long result;

	block[8] = (long)arg; /* RACE: fill */
	memset(block + 16, 0, BLOCK_SIZE - 16 * sizeof(*block));
	result = block[8] + block[16];
	free(block);
	return (void *)result;
}

int main(void)
{
	pthread_t first, second;
	long sum;

	mallopt(M_ARENA_MAX, 1);
	first = start(use, (void *)1l);
	second = start_late(use, (void *)2l, 2);
	sum = (long)join(first);
	sum += (long)join(second);
	printf("%ld\n", sum);
	return 0;
}
