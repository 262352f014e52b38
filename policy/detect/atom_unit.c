/*
 * atom_unit.c - adds accesses to units, compares units, and describes them for a violation. atomicity.c decides what
 * is one.
 */
#include "policy/detect/atom_unit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "policy/shadow/shadow.h"

/*
 * A plain read of what the unit itself has written gets this value, whatever other sections do. The filter of stubs may
 * drop such a read, because it drops the second of two accesses to the same bytes.
 */
static bool reads_of_others(const struct atom_unit *unit, uint8_t bytes, const struct rfs_access *access)
{
	return (access->access & RFS_ACCESS_READ) && !(access->access & RFS_ACCESS_FREE) &&
	       ((access->access & RFS_ACCESS_ATOMIC) || (bytes & ~unit->written));
}

bool rfs_atom_same_shape(const struct atom_unit *a, const struct atom_unit *b)
{
	const struct atom_context *x = a->first, *y = b->first;

	if (x->thread != y->thread || a->read != b->read || a->write != b->write || a->flags != b->flags ||
	    a->address != b->address || x->n_holds != y->n_holds)
		return false;
	for (size_t i = 0; i < x->n_holds; i++)
		if (x->holds[i].lock != y->holds[i].lock || x->holds[i].site != y->holds[i].site ||
		    x->holds[i].entry != y->holds[i].entry || !x->holds[i].resumes != !y->holds[i].resumes)
			return false;
	return true;
}

bool rfs_atom_meet(const struct atom_unit *a, const struct atom_unit *b)
{
	return !(a->address & b->address & ATOM_HALF) || a->address == b->address;
}

void rfs_atom_unit_add(struct atom_unit *unit, rfs_addr granule, const struct rfs_access *access)
{
	const uint8_t at = access->address > granule ? (uint8_t)(access->address - granule) : 0;
	const uint8_t bytes = rfs_granule_mask(granule, access->address, access->address + access->size - 1);
	const bool writes = access->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE);
	const bool reads = reads_of_others(unit, bytes, access);

	if (access->access & RFS_ACCESS_ATOMIC)
		unit->flags |= ATOM_ATOMIC;
	if (access->access & RFS_ACCESS_CALL)
		unit->flags |= ATOM_CALL;
	if (reads && !(unit->flags & ATOM_READ)) {
		unit->flags |= ATOM_READ;
		unit->read = access->site;
		unit->at_read = at;
	}
	if (writes && !(unit->flags & ATOM_WRITE)) {
		if (!(unit->flags & ATOM_READ))
			unit->flags |= ATOM_WRITES_FIRST;
		unit->flags |= ATOM_WRITE;
		unit->write = access->site;
		unit->at_write = at;
	}
	if (access->access & RFS_ACCESS_FREE) {
		unit->flags |= ATOM_FREE;
		unit->write = access->site;
	}
	if ((access->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE | RFS_ACCESS_ATOMIC)) == RFS_ACCESS_WRITE)
		unit->written |= bytes;
}

const struct atom_hold *rfs_atom_hold_in(const struct atom_unit *unit, rfs_addr lock)
{
	for (size_t i = 0; i < unit->first->n_holds; i++)
		if (unit->first->holds[i].lock == lock)
			return &unit->first->holds[i];
	return NULL;
}

void rfs_atom_describe(const struct atom_unit *unit, unsigned how, const struct atom_hold *lock, rfs_site key[2],
		       struct rfs_atomicity_access *out)
{
	const struct atom_hold *hold = lock ? rfs_atom_hold_in(unit, lock->lock) : NULL;

	*out = (struct rfs_atomicity_access){
		.site = how == ATOM_READ ? unit->read : unit->write,
		.thread = unit->first->thread,
		.access = (how == ATOM_READ ? RFS_ACCESS_READ : RFS_ACCESS_WRITE) |
			  (unit->flags & ATOM_ATOMIC ? RFS_ACCESS_ATOMIC : 0) |
			  (how == ATOM_WRITE && (unit->flags & ATOM_FREE) ? RFS_ACCESS_FREE : 0),
		.acquire = hold ? hold->site : 0,
	};
	key[0] = out->acquire;
	key[1] = hold ? hold->entry : out->site;
}

rfs_addr rfs_atom_address(const struct atom_cell *cell, const struct atom_unit *unit, unsigned how)
{
	return cell->granule + (how == ATOM_READ ? unit->at_read : unit->at_write);
}
