/* heap.h - whether memory that a structure owns is freed with it. No sanitizer is needed for this. */
#ifndef RFS_TEST_HEAP_H
#define RFS_TEST_HEAP_H

#include <malloc.h>
#include <stddef.h>

static inline size_t heap_in_use(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* How many bytes each call leaves in use. Caches of malloc(3) may hold a little more each time. */
static inline size_t heap_growth(void (*call)(void))
{
	enum { CALLS = 20 };
	size_t before, after;

	for (int i = 0; i < CALLS; i++)
		call();
	before = heap_in_use();
	for (int i = 0; i < CALLS; i++)
		call();
	after = heap_in_use();
	return after > before ? (after - before) / CALLS : 0;
}

#endif
