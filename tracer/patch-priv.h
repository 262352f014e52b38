/* patch-priv.h - the patches of a space, and the bytes under them. */
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

/* The same patches in two orders. */
struct rfs_patches {
	struct rfs_patch **by_start, **by_stub;
	size_t n, room;
	struct rfs_stub stub; /* the stub rebuilt last, for a task inside it */
};

/* The patch that replaces the byte at address; the patch whose stub contains address. NULL: none. Borrowed. */
struct rfs_patch *rfs_patch_find(const struct rfs_space *space, rfs_addr address);
struct rfs_patch *rfs_patch_of_stub(const struct rfs_space *space, rfs_addr address);
/* Whether an instruction of a patch, but not its first one, begins at address. */
bool rfs_patch_is_inside(const struct rfs_space *space, rfs_addr address);
/* A task stopped because the tests of the patch at address failed: where it continues in the stub. 0: no patch with
 * tests begins at address. */
rfs_addr rfs_patch_passed(const struct rfs_space *space, rfs_addr address);
/* If address is the trap after the tests of a stub, or for a fault one of the tests: the start of that patch. 0: it is
 * neither. */
rfs_addr rfs_patch_stopped(const struct rfs_space *space, rfs_addr address, bool fault);
/* buf was read from address: replaces the patches in it by the program's own bytes. */
void rfs_patches_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* Forgets all of [start, end) without writing a byte: the memory is gone. */
void rfs_patches_drop(struct rfs_space *space, rfs_addr start, rfs_addr end);
/* Removes all patches of space from child, a copy of its memory. */
void rfs_patches_uncover(const struct rfs_space *space, struct rfs_space *child);
int rfs_patches_copy(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));
void rfs_patches_release(struct rfs_space *space);

#endif
