/* patch-priv.h - the patches of a space, and the program's bytes under them. */
#ifndef RFS_TRACER_PATCH_PRIV_H
#define RFS_TRACER_PATCH_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/rewrite/plan.h"
#include "disasm/rewrite/stub.h"
#include "tracer/patch.h"

struct rfs_patch {
	const struct rfs_patches *owner; /* who frees it; a copy uses the patches of its original (forker.h) */
	rfs_addr start, stub;
	const struct rfs_plan_group *group; /* borrowed */
	uint32_t first;			    /* number of the group's first stub record */
	uint8_t ledge[RFS_LEDGE_LENGTH];    /* the program's bytes under the ledge, if the group has one */
	uint8_t original[];		    /* the program's bytes under the patch, group->length of them */
};

/* All patches of a space, in two orders. */
struct rfs_patches {
	struct rfs_patch **by_start, **by_stub;
	size_t n_ledges;      /* how many of them have had ledges */
	size_t n, room;	      /* room 0: there are no arrays, or they belong to the original */
	struct rfs_stub stub; /* patch_task.c: the stub that was rebuilt last */
};

/* rfs_patch_find(): the patch that replaces the byte at address. rfs_patch_of_stub(): the patch whose stub contains
 * address. rfs_patch_of_ledge(): the patch whose ledge contains address. All return NULL if there is none. Borrowed. */
struct rfs_patch *rfs_patch_find(const struct rfs_space *space, rfs_addr address);
struct rfs_patch *rfs_patch_of_stub(const struct rfs_space *space, rfs_addr address);
struct rfs_patch *rfs_patch_of_ledge(const struct rfs_space *space, rfs_addr address);
/* Whether a patch or its ledge replaces an instruction that begins at address, and it is not the first one of the
 * patch. */
bool rfs_patch_is_inside(const struct rfs_space *space, rfs_addr address);
/* For a task that stopped because a test of the patch at address failed: the address in the stub at which the task
 * continues. 0 if no patch with tests begins at address. */
rfs_addr rfs_patch_passed(const struct rfs_space *space, rfs_addr address);
/* If a test of a stub stopped a task at address, returns the start of the patch; otherwise 0. fault false: the task is
 * at the trap after the tests. fault true: a test faulted when it read memory. */
rfs_addr rfs_patch_stopped(const struct rfs_space *space, rfs_addr address, bool fault);
/* buf was read from address: replaces the bytes of patches in it by the program's own bytes. */
void rfs_patches_hide(const struct rfs_space *space, rfs_addr address, unsigned char *buf, size_t n);
/* Forgets all patches in [start, end). Does not restore bytes, because the memory no longer exists. */
void rfs_patches_drop(struct rfs_space *space, rfs_addr start, rfs_addr end);
/* Restores the program's bytes in `child`, a forked process whose memory has the patches of `space`. */
void rfs_patches_uncover(const struct rfs_space *space, struct rfs_space *child);
/* Gives `to`, a copy of `from`, the same patches. `from` must not change as long as `to` exists. 0 or -ENOMEM. */
int rfs_patches_lend(const struct rfs_space *from, struct rfs_space *to) __attribute__((warn_unused_result));
void rfs_patches_release(struct rfs_space *space);

#endif
