/*
 * alloc.c - allocation for code that must not depend on supervisor/base. There is no error to handle: the program
 * ends.
 */
#include "policy/core/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rfs_policy_out_of_memory(void)
{
	fputs("rfsup: out of memory in a policy or detector\n", stderr);
	abort();
}

void *rfs_policy_zalloc(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (!memory)
		rfs_policy_out_of_memory();
	return memory;
}

/* least: the elements of a first array. */
static void *grow(void *array, size_t *capacity, size_t n, size_t size, size_t least)
{
	size_t wanted = *capacity ? *capacity : least;

	if (n <= *capacity)
		return array;
	while (wanted < n)
		wanted += wanted > 1 ? wanted / 2 : 1;
	if (wanted > SIZE_MAX / size)
		rfs_policy_out_of_memory();
	array = realloc(array, wanted * size);
	if (!array)
		rfs_policy_out_of_memory();
	memset((char *)array + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return array;
}

void *rfs_policy_grow(void *array, size_t *capacity, size_t n, size_t size)
{
	return grow(array, capacity, n, size, 8);
}

void *rfs_policy_grow_small(void *array, size_t *capacity, size_t n, size_t size)
{
	return grow(array, capacity, n, size, 1);
}
