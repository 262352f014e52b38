/* patch-priv.h - which patches there are, and the bytes under them. */
#ifndef RFS_TRACER_PATCH_PRIV_H
#define RFS_TRACER_PATCH_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/rewrite/stub.h"
#include "tracer/patch.h"

struct rfs_patch {
	rfs_addr start, stub;
	const struct rfs_plan_group *group; /* borrowed */
	uint32_t first;			    /* number of its first record */
	uint8_t *original;		    /* group->length bytes */
};

/* Two orders of the same patches. */
struct rfs_patches {
	struct rfs_patch **by_start, **by_stub;
	size_t n, room;
	struct rfs_stub stub; /* rebuilt for whoever stands in it */
};

/* The patch that took the byte at address; the one whose stub does. NULL: none. Borrowed. */
struct rfs_patch *rfs_patch_find(const struct rfs_space *space, rfs_addr address);
struct rfs_patch *rfs_patch_of_stub(const struct rfs_space *space, rfs_addr address);
/* Whether an instruction other than the first of a patch begins there. */
bool rfs_patch_is_inside(const struct rfs_space *space, rfs_addr address);
/* Where what stopped at a patch's tests goes on, in its stub. 0: no patch with tests begins there. */
rfs_addr rfs_patch_passed(const struct rfs_space *space, rfs_addr address);
/* address is the trap behind the tests of a stub, or, for a fault, one of the tests: where that patch begins. 0: it is
 * none. */
rfs_addr rfs_patch_stopped(const struct rfs_space *space, rfs_addr address, bool fault);
/* buf was read from there: writes the program's own bytes over the patches in it. */
void rfs_patches_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* Forgets all of [start, end) without writing a byte: the memory is gone. */
void rfs_patches_drop(struct rfs_space *space, rfs_addr start, rfs_addr end);
/* Takes all of space's patches out of a copy of its memory, child. */
void rfs_patches_uncover(const struct rfs_space *space, struct rfs_space *child);
int rfs_patches_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));
void rfs_patches_release(struct rfs_space *space);

#endif
