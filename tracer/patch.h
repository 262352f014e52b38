/*
 * patch.h - code that tells of its accesses by itself: groups of instructions replaced by jumps to stubs
 * (disasm/rewrite/plan.h, disasm/rewrite/stub.h), which write records to the memory of stub_buffer.h.
 *
 * Stops show a program without stubs: the instruction pointer, registers and memory (rfs_space_read()) are the
 * program's own. A forked process gets its own bytes back.
 */
#ifndef RFS_PATCH_H
#define RFS_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/rewrite/plan.h"

struct rfs_space;
struct rfs_task;

/*
 * Patches a module that is loaded bias bytes above its vaddrs: the groups of a plan, ascending, whose records get the
 * numbers from first on. task: any stopped one of the space; the others must be at instructions of the program. No
 * group may contain a breakpoint; one with tests gets a breakpoint at its beginning right afterwards, which is hit if
 * the tests fail. done[i] is true if group i found a place for its stub; the others stay unchanged. The plan must
 * outlive the space. 0; -ENOTSUP: rfs_stub_buffer_open() was not called; -ENOMEM; -ESRCH; -EFAULT.
 */
int rfs_patches_add(struct rfs_task *task, const struct rfs_plan_group *const *groups, size_t n, uint64_t bias,
		    uint32_t first, bool *done) __attribute__((warn_unused_result));
/* The patched range that contains address. False if there is none. */
bool rfs_patch_at(const struct rfs_space *space, rfs_addr address, rfs_addr *start, rfs_addr *end);
/* Gives all patches in [start, end) their own bytes back. */
void rfs_patches_remove(struct rfs_space *space, rfs_addr start, rfs_addr end);
/* Gives all patches their own bytes back, for good: the target wants gs for itself. */
void rfs_patches_give_up(struct rfs_space *space);
/* How many there are. */
size_t rfs_patches_count(const struct rfs_space *space);

#endif
