/*
 * patch.h - code that records its own accesses: groups of instructions are replaced by jumps to stubs
 * (disasm/rewrite/plan.h, disasm/rewrite/stub.h), which write records to the memory of stub_buffer.h.
 *
 * At stops, stubs are invisible: the instruction pointer, registers and memory (rfs_space_read()) are the program's
 * own. In a forked process, the program's own bytes are restored.
 */
#ifndef RFS_PATCH_H
#define RFS_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/rewrite/plan.h"

struct rfs_space;
struct rfs_task;

/*
 * Patches a module that is loaded bias bytes above its vaddrs: the groups of a plan, ascending. Their records are
 * numbered from `first`. task: any stopped task of the space; all other tasks must be at instructions of the program.
 * No group may contain a breakpoint. For a group with tests, the caller then adds a breakpoint at its beginning, which
 * is hit if the tests fail. done[i] is true if there was a place for the stub of group i; other groups stay unchanged.
 * The plan must outlive the space. 0; -ENOTSUP: rfs_stub_buffer_open() was not called; -ENOMEM; -ESRCH; -EFAULT.
 */
int rfs_patches_add(struct rfs_task *task, const struct rfs_plan_group *const *groups, size_t n, uint64_t bias,
		    uint32_t first, bool *done) __attribute__((warn_unused_result));
/* The patched range that contains address. False if there is none. */
bool rfs_patch_at(const struct rfs_space *space, rfs_addr address, rfs_addr *start, rfs_addr *end);
/* Removes all patches in [start, end) and restores the program's bytes. */
void rfs_patches_remove(struct rfs_space *space, rfs_addr start, rfs_addr end);
/* Removes all patches for good, because the target uses gs itself. */
void rfs_patches_give_up(struct rfs_space *space);
/* The number of patches. */
size_t rfs_patches_count(const struct rfs_space *space);

#endif
