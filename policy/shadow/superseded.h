/*
 * superseded.h - the accesses that one cell of shadow memory represents beside its last one: of one site, thread, kind
 * and bytes, under locksets of which none covers another (history.h).
 */
#ifndef RFS_OLDER_H
#define RFS_OLDER_H

#include "policy/shadow/cell.h"

struct rfs_superseded_access {
	rfs_access_descriptor stamp;
	uint8_t part, start; /* as in struct rfs_cell */
};

struct rfs_superseded {
	struct rfs_superseded_access *items; /* ascending by time */
	size_t n, capacity;
	size_t limit;	  /* above this number, accesses with the same lockset are removed */
	rfs_lockset core; /* the locks common to all accesses, including those of the cell */
	uint32_t next;	  /* free places: the next one */
};

struct rfs_superseded_list {
	struct rfs_descriptors *stamps;
	struct rfs_locksets *sets;
	struct rfs_superseded *lists; /* by number; 0 is not used */
	size_t n, capacity;
	uint32_t first_free;
	uint32_t *seen; /* by lockset: the number of the compaction that saw it last */
	size_t seen_capacity;
	uint32_t n_compactions;
};

void rfs_superseded_init(struct rfs_superseded_list *olders, struct rfs_descriptors *stamps, struct rfs_locksets *sets);
void rfs_superseded_release(struct rfs_superseded_list *olders);

/* The cell's last access becomes stamp, from part and start; the one before goes to its list unless superfluous. The
 * cell keeps the stamp. */
void rfs_superseded_push(struct rfs_superseded_list *olders, struct rfs_cell *cell, rfs_access_descriptor stamp,
			 uint8_t part, uint8_t start);
/* The cell is removed: frees its list. */
void rfs_superseded_drop(struct rfs_superseded_list *olders, uint32_t list);

#endif
