#include "supervisor/state/atomics.h"

#include <stdlib.h>
#include <uthash.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/state/run_state.h"

struct rfs_atomic_address {
	rfs_addr address; /* key */
	UT_hash_handle hh;
};

bool rfs_atomics_has(const struct rfs_run *run, rfs_addr address)
{
	const struct rfs_atomic_address *entry;

	HASH_FIND(hh, run->atomics, &address, sizeof(address), entry);
	return entry != NULL;
}

void rfs_atomics_add(struct rfs_run *run, rfs_addr address)
{
	struct rfs_atomic_address *entry;

	if (rfs_atomics_has(run, address))
		return;
	entry = xcalloc(1, sizeof(*entry));
	entry->address = address;
	HASH_ADD(hh, run->atomics, address, sizeof(address), entry);
}

void rfs_atomics_copy(const struct rfs_run *from, struct rfs_run *to)
{
	for (const struct rfs_atomic_address *a = from->atomics; a; a = a->hh.next)
		rfs_atomics_add(to, a->address);
}

void rfs_atomics_release(struct rfs_run *run)
{
	struct rfs_atomic_address *entry, *next;

	HASH_ITER (hh, run->atomics, entry, next) {
		HASH_DEL(run->atomics, entry);
		free(entry);
	}
}
