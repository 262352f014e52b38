#include "policy/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(void)
{
	fputs("rfsup: out of memory in a policy or detector\n", stderr);
	abort();
}

void *rfs_policy_zalloc(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (!memory)
		out_of_memory();
	return memory;
}

void *rfs_policy_grow(void *array, size_t *capacity, size_t n, size_t size)
{
	size_t wanted = *capacity ? *capacity : 8;

	if (n <= *capacity)
		return array;
	while (wanted < n)
		wanted += wanted / 2;
	if (wanted > SIZE_MAX / size)
		out_of_memory();
	array = realloc(array, wanted * size);
	if (!array)
		out_of_memory();
	memset((char *)array + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return array;
}
