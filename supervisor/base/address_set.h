/* address_set.h - a set of addresses. NULL is the empty set. */
#ifndef RFS_ADDRESS_SET_H
#define RFS_ADDRESS_SET_H

#include <stdbool.h>
#include <uthash.h>

#include "disasm/addr.h"

/* One address of a set. The pointer to the first address represents the set. */
struct rfs_address_set {
	rfs_addr address; /* key */
	UT_hash_handle hh;
};

void rfs_address_set_add(struct rfs_address_set **set, rfs_addr address);
bool rfs_address_set_has(const struct rfs_address_set *set, rfs_addr address);
/* Adds all addresses of `other`. */
void rfs_address_set_join(struct rfs_address_set **set, const struct rfs_address_set *other);
/* Removes the addresses from start to start + n - 1. */
void rfs_address_set_remove(struct rfs_address_set **set, rfs_addr start, uint64_t n);
/* Frees all addresses; the set is empty afterwards. */
void rfs_address_set_release(struct rfs_address_set **set);

#endif
