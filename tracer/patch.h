/*
 * patch.h - code that records its own accesses: groups of instructions replaced by jumps to stubs (disasm/plan.h,
 * disasm/stub.h), and the memory that those write their records to.
 *
 * All of the target's threads write to one buffer: one of them runs at a time, and its records are taken at its next
 * stop. Every task has its own control block, which its gs points to. Stops show a program without stubs: the
 * instruction pointer, registers and memory (rfs_space_read()) are the program's own. A forked process gets its own
 * bytes back; a child that shares the memory writes records like any task. Copies of a stopped program (forker.h) share
 * the buffer: at most one of them exists at a time.
 */
#ifndef RFS_PATCH_H
#define RFS_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/rewrite/plan.h"

struct rfs_space;
struct rfs_task;

/* Records that fit between two stops of a task. */
#define RFS_RECORDS_ROOM 16384

/*
 * Maps the buffer, through a task that is not in a system call and is the only one of its space. 0; -EEXIST: gs is in
 * use; -ESRCH; -ENOMEM: its address space is limited; other -errno: it may not map memory, and nothing is changed.
 */
int rfs_stub_buffer_open(struct rfs_task *task) __attribute__((warn_unused_result));
/*
 * What a stopped task has written since the last call: up to RFS_RECORDS_ROOM, oldest first. Borrowed until any task of
 * the space is resumed. Returns how many; they count as taken.
 */
size_t rfs_stub_buffer_take(struct rfs_task *task, const struct rfs_stub_record **out);
/*
 * Until its next stop the task may pass tests (struct rfs_stub_call) without stopping there, this often. Without that
 * it passes none.
 */
void rfs_stub_buffer_lend(struct rfs_task *task, const struct rfs_stub_lent *lent);
/*
 * Gives all patches their own bytes back, for good: the target wants gs for itself.
 */
void rfs_stub_buffer_give_up(struct rfs_space *space);
/*
 * At RFS_STOP_RECORDS: a thread that blocks SIGSEGV has lost the signal's action to the kernel (force_sig). action: the
 * target's own, as rt_sigaction takes it: handler, flags, restorer, mask. Restored if it is lost. 0, -ESRCH, -EIO.
 */
int rfs_stub_buffer_repair(struct rfs_task *task, const uint64_t action[4]) __attribute__((warn_unused_result));
/* Whether the address is in the memory that was mapped for all this, which the target shares with us. */
bool rfs_stub_buffer_hold(const struct rfs_space *space, rfs_addr address);
/* True if that was done, or if there were more tasks at once than control blocks. */
bool rfs_stub_buffer_given_up(const struct rfs_space *space);

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
/* How many there are. */
size_t rfs_patches_count(const struct rfs_space *space);

#endif
