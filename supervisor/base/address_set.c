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

void rfs_address_set_release(struct rfs_address_set **set)
{
	struct rfs_address_set *entry, *next;

	HASH_ITER (hh, *set, entry, next) {
		HASH_DEL(*set, entry);
		free(entry);
	}
}
