/*
 * superseded.h - the older accesses of a cell. A cell of shadow memory contains its last access. Its list has older
 * ones of the same site, thread, kind and bytes, made under other locksets. An older access is dropped if a later one
 * makes it superfluous (history.h) and a short search shows that.
 */
#ifndef RFS_OLDER_H
#define RFS_OLDER_H

#include <stddef.h>
#include <stdint.h>

#include "policy/shadow/cell.h"

struct rfs_superseded_access {
	rfs_access_descriptor stamp;
	uint8_t part, start; /* as in struct rfs_cell */
};

struct rfs_superseded {
	struct rfs_superseded_access *items; /* ascending by time */
	size_t n, capacity;
	size_t limit;	  /* above this number of items, the list is compacted */
	rfs_lockset core; /* the locks held at all of these accesses and at the cell's last one */
	uint32_t next;	  /* if free: the next free list */
};

struct rfs_superseded_list {
	struct rfs_descriptors *stamps;
	struct rfs_locksets *sets;
	struct rfs_superseded *lists; /* by number; lists[0] is not used */
	size_t n, capacity;
	uint32_t first_free;
	uint32_t *seen; /* by lockset: the compaction that last saw it, for compact() */
	size_t seen_capacity;
	uint32_t n_compactions;
};

void rfs_superseded_init(struct rfs_superseded_list *olders, struct rfs_descriptors *stamps, struct rfs_locksets *sets);
void rfs_superseded_release(struct rfs_superseded_list *olders);

/* Makes a new access (stamp, part, start) the last one of the cell. The access before it goes to the cell's list,
 * unless it is superfluous. The cell takes its own reference to the descriptor. */
void rfs_superseded_push(struct rfs_superseded_list *olders, struct rfs_cell *cell, rfs_access_descriptor stamp,
			 uint8_t part, uint8_t start);
/* Frees the list of a cell that is removed. */
void rfs_superseded_drop(struct rfs_superseded_list *olders, uint32_t list);

#endif
