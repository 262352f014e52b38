/* address_set.c - a hash table (uthash) by address. */
#include "supervisor/base/address_set.h"

#include <stdlib.h>

#include "supervisor/base/alloc.h"

bool rfs_address_set_has(const struct rfs_address_set *set, rfs_addr address)
{
	struct rfs_address_set *entry;

	HASH_FIND(hh, set, &address, sizeof(address), entry);
	return entry != NULL;
}

void rfs_address_set_add(struct rfs_address_set **set, rfs_addr address)
{
	struct rfs_address_set *entry;

	if (rfs_address_set_has(*set, address))
		return;
	entry = xcalloc(1, sizeof(*entry));
	entry->address = address;
	HASH_ADD(hh, *set, address, sizeof(entry->address), entry);
}

void rfs_address_set_join(struct rfs_address_set **set, const struct rfs_address_set *other)
{
	for (; other; other = other->hh.next)
		rfs_address_set_add(set, other->address);
}

static void address_set_remove_entry(struct rfs_address_set **set, struct rfs_address_set *entry)
{
	HASH_DEL(*set, entry);
	free(entry);
}

void rfs_address_set_remove(struct rfs_address_set **set, rfs_addr start, uint64_t n)
{
	struct rfs_address_set *entry, *next;

	/* the shorter way: try each address of a small block, or look at all of a small set */
	if (n > HASH_COUNT(*set)) {
		HASH_ITER (hh, *set, entry, next)
			if (entry->address - start < n)
				address_set_remove_entry(set, entry);
		return;
	}
	for (rfs_addr address = start; address - start < n; address++) {
		HASH_FIND(hh, *set, &address, sizeof(address), entry);
		if (entry)
			address_set_remove_entry(set, entry);
	}
}

void rfs_address_set_release(struct rfs_address_set **set)
{
	struct rfs_address_set *entry, *next;

	HASH_ITER (hh, *set, entry, next)
		address_set_remove_entry(set, entry);
}
