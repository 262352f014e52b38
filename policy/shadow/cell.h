/*
 * cell.h - the accesses that a granule of shadow memory remembers (shadow.h): one list a granule, the last one at its
 * end.
 */
#ifndef RFS_CELL_H
#define RFS_CELL_H

#include "policy/shadow/access_descriptor.h"

/* An access to some bytes of one granule, or several of one kind (older). */
struct rfs_cell {
	rfs_access_descriptor stamp; /* of the last one */
	uint32_t older;		     /* superseded.h, 0: none; never if a state has the cell */
	uint8_t mask;		     /* bytes, not 0 */
	/* Where the access began: this many granules before this one, at this byte. */
	uint8_t part, start;
};
#define RFS_CELL_FAR 255u /* part: this many or more; start is then 0 */
/* start: at any multiple of its size among the bytes of the mask. A loop over the bytes of a granule leaves one cell.
 */
#define RFS_CELL_ALIGNED 254u

#endif
