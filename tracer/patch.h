/*
 * patch.h - makes code record its own accesses. Groups of instructions are replaced by jumps to stubs
 * (disasm/rewrite/plan.h, disasm/rewrite/stub.h), which write records to the memory of stub_buffer.h.
 *
 * A stop never shows a stub: the instruction pointer, the registers and the memory that rfs_space_read() reads are
 * those of the program without patches. In a forked process, the program's own bytes are restored.
 */
#ifndef RFS_PATCH_H
#define RFS_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/rewrite/plan.h"

struct rfs_space;
struct rfs_task;

/*
 * Patches groups of a module's plan. The module is loaded bias bytes above its vaddrs, the groups are in ascending
 * order, and their records are numbered from `first`. `task` is any stopped task of the space. Every other task must be
 * at an instruction of the program, not in a slot or a stub.
 *
 * No group may contain a breakpoint. If a group has tests, the caller then adds a breakpoint at its beginning; it is
 * hit when a test fails. done[i] is false if there was no place for the stub of group i, and that group stays
 * unchanged. The plan must outlive the space.
 *
 * Returns 0; -ENOTSUP if rfs_stub_buffer_open() was not called, or after rfs_patches_give_up(); -ENOMEM; -ESRCH; or
 * -EFAULT.
 */
int rfs_patches_add(struct rfs_task *task, const struct rfs_plan_group *const *groups, size_t n, uint64_t bias,
		    uint32_t first, bool *done) __attribute__((warn_unused_result));
/*
 * The same for one group with a stub that lets executions pass (RFS_STUB_PASS), at whose beginning is a breakpoint.
 * From then on the breakpoint is hit when the stub stops. Returns -ENOSPC if there is no place for the stub.
 */
int rfs_patch_add_hot(struct rfs_task *task, const struct rfs_plan_group *group, uint64_t bias)
	__attribute__((warn_unused_result));
/* Sets *start and *end to the range of the patch that contains address, itself or in its ledge. False if there is none.
 * */
bool rfs_patch_at(const struct rfs_space *space, rfs_addr address, rfs_addr *start, rfs_addr *end);
/* Removes all patches in [start, end) and restores the program's bytes. */
void rfs_patches_remove(struct rfs_space *space, rfs_addr start, rfs_addr end);
/* Removes all patches and allows no new ones. Used if the target itself uses gs, or has more tasks than control blocks.
 * */
void rfs_patches_give_up(struct rfs_space *space);
size_t rfs_patches_count(const struct rfs_space *space);

#endif
