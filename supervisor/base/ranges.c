/* ranges.c - a sorted array that joins ranges as they are added. */
#include "supervisor/base/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

/* The first range that ends at `address` or later. */
static size_t ranges_first_from(const struct rfs_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ranges->list[middle].end < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Puts `n_new` ranges into the place of those from `at` to `end`. */
static void ranges_replace(struct rfs_ranges *ranges, size_t at, size_t end, const struct rfs_range *new, size_t n_new)
{
	const size_t n = ranges->n - (end - at) + n_new;

	ranges->list = xreallocarray(ranges->list, (n > ranges->n ? n : ranges->n) + 1, sizeof(*ranges->list));
	memmove(ranges->list + at + n_new, ranges->list + end, (ranges->n - end) * sizeof(*ranges->list));
	if (n_new)
		memcpy(ranges->list + at, new, n_new * sizeof(*new));
	ranges->n = n;
}

static uint64_t ranges_end_of(uint64_t start, uint64_t size)
{
	return size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

void rfs_ranges_add(struct rfs_ranges *ranges, uint64_t start, uint64_t size)
{
	const size_t at = ranges_first_from(ranges, start);
	struct rfs_range joined = {start, ranges_end_of(start, size)};
	size_t end = at;

	if (!size)
		return;
	for (; end < ranges->n && ranges->list[end].start <= joined.end; end++) {
		if (ranges->list[end].start < joined.start)
			joined.start = ranges->list[end].start;
		if (ranges->list[end].end > joined.end)
			joined.end = ranges->list[end].end;
	}
	ranges_replace(ranges, at, end, &joined, 1);
}

void rfs_ranges_remove(struct rfs_ranges *ranges, uint64_t start, uint64_t size)
{
	const uint64_t stop = ranges_end_of(start, size);
	const size_t at = ranges_first_from(ranges, start);
	struct rfs_range left[2];
	size_t end = at, n = 0;

	if (!size)
		return;
	for (; end < ranges->n && ranges->list[end].start < stop; end++) {
		if (ranges->list[end].start < start)
			left[n++] = (struct rfs_range){ranges->list[end].start, start};
		if (ranges->list[end].end > stop)
			left[n++] = (struct rfs_range){stop, ranges->list[end].end};
	}
	if (end > at)
		ranges_replace(ranges, at, end, left, n);
}

bool rfs_ranges_have(const struct rfs_ranges *ranges, uint64_t start, uint64_t size)
{
	const size_t at = ranges_first_from(ranges, ranges_end_of(start, size));

	return at < ranges->n && ranges->list[at].start <= start && ranges_end_of(start, size) <= ranges->list[at].end;
}

void rfs_ranges_release(struct rfs_ranges *ranges)
{
	free(ranges->list);
	*ranges = (struct rfs_ranges){0};
}
