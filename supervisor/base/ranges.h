/* ranges.h - a set of addresses, as ranges that do not touch. */
#ifndef RFS_RANGES_H
#define RFS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfs_range {
	uint64_t start, end; /* [start, end) */
};

/* Zeroed: empty. */
struct rfs_ranges {
	struct rfs_range *list; /* ascending; owned */
	size_t n;
};

void rfs_ranges_add(struct rfs_ranges *ranges, uint64_t start, uint64_t size);
void rfs_ranges_remove(struct rfs_ranges *ranges, uint64_t start, uint64_t size);
/* Whether the set has all addresses from `start` on, `size` of them. */
bool rfs_ranges_have(const struct rfs_ranges *ranges, uint64_t start, uint64_t size);
void rfs_ranges_release(struct rfs_ranges *ranges);

#endif
