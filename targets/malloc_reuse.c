/*
 * malloc_reuse: two threads each allocate, fill and free a block. Because there is one arena, the C library gives the
 * second thread the block that the first thread has freed.
 *
 * Answer: silent. The same address is two objects. A detector sees a pair here only if it ignores free.
 */
#include "target.h"
#include <malloc.h>
#include <string.h>

/* Larger than the blocks that glibc keeps in a cache for each thread (tcache, up to 1,032 bytes). */
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
