/*
 * cell.h - cells: the accesses that shadow memory remembers for one granule (shadow.h). Each granule has a list of
 * cells, the latest one last.
 */
#ifndef RFS_CELL_H
#define RFS_CELL_H

#include "policy/shadow/access_descriptor.h"

/* One access to some bytes of a granule. It may represent several accesses of one kind: the last one, and those in
 * `older`. */
struct rfs_cell {
	rfs_access_descriptor stamp; /* of the last access */
	uint32_t older;		     /* number of a list of superseded.h; 0: none; always 0 in a cell of a state */
	uint8_t mask;		     /* which bytes of the granule; not 0 */
	/* The access began `part` granules before this granule, at byte `start` of that one. */
	uint8_t part, start;
};
#define RFS_CELL_FAR 255u /* part: this many granules or more; start is then 0 */
/* start: the access is aligned, and begins at any multiple of its size among the bytes of the mask. So a loop over the
 * single bytes of a granule leaves one cell. */
#define RFS_CELL_ALIGNED 254u

#endif
