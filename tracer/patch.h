/*
 * patch.h - code that tells of its accesses by itself: groups of instructions replaced by jumps to stubs
 * (disasm/plan.h, disasm/stub.h), and the memory that those write their records to.
 *
 * All of the target's threads write to one buffer: one of them runs at a time, and what it wrote is taken at its next
 * stop. Every task has a control block of its own, which its gs points to. Stops show a program without stubs: the
 * instruction pointer, registers and memory (rfs_space_read()) are the program's own. A forked process gets its own
 * bytes back; a child that shares the memory writes records like any task. Copies of a stopped program (forker.h)
 * share the buffer: no more than one of them lives at a time.
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
 * Maps the buffer, through a task that stands in no system call and is the only one of its space. 0; -EEXIST: gs is in
 * use; -ESRCH; -ENOMEM: its address space is limited; other -errno: it may not map memory, and nothing is changed.
 */
int rfs_stub_buffer_open(struct rfs_task *task) __attribute__((warn_unused_result));
/* What a stopped task has written since it was last asked: up to RFS_RECORDS_ROOM, oldest first. Borrowed until any
 * task of the space goes on. Returns how many; they count as taken. */
size_t rfs_stub_buffer_take(struct rfs_task *task, const struct rfs_stub_record **out);
/*
 * Until its next stop the task may pass tests (struct rfs_stub_call) without stopping there, this often. Without that
 * it passes none.
 */
void rfs_stub_buffer_lend(struct rfs_task *task, const struct rfs_stub_lent *lent);
/*
 * At RFS_STOP_RECORDS: a thread that blocks SIGSEGV has lost the signal's action to the kernel (force_sig). action: the
 * target's own, as rt_sigaction takes it: handler, flags, restorer, mask. Put back where it is gone. 0, -ESRCH, -EIO.
 */
int rfs_stub_buffer_repair(struct rfs_task *task, const uint64_t action[4]) __attribute__((warn_unused_result));
/* Whether the address is in the memory that was mapped for all this, which the target shares with us. */
bool rfs_stub_buffer_hold(const struct rfs_space *space, rfs_addr address);
/* True after rfs_patches_give_up(), or if there were more tasks at a time than control blocks. */
bool rfs_stub_buffer_given_up(const struct rfs_space *space);

/*
 * Patches a module that is loaded bias bytes above its vaddrs: the groups of a plan, ascending, whose records get the
 * numbers from first on. task: any stopped one of the space; the others stand at instructions of the program. No group
 * holds a breakpoint; one with tests gets one where it begins, right afterwards, which is met where they fail. done[i]
 * tells whether group i found a place for its stub; the others are left as they are. The plan must outlive the space.
 * 0; -ENOTSUP: rfs_stub_buffer_open() was not called; -ENOMEM; -ESRCH; -EFAULT.
 */
int rfs_patches_add(struct rfs_task *task, const struct rfs_plan_group *const *groups, size_t n, uint64_t bias,
		    uint32_t first, bool *done) __attribute__((warn_unused_result));
/* The patched range that holds address. False where there is none. */
bool rfs_patch_at(const struct rfs_space *space, rfs_addr address, rfs_addr *start, rfs_addr *end);
/* Gives all patches in [start, end) their own bytes back. */
void rfs_patches_remove(struct rfs_space *space, rfs_addr start, rfs_addr end);
/* Gives all patches their own bytes back, for good: the target wants gs for itself. */
void rfs_patches_give_up(struct rfs_space *space);
/* How many there are. */
size_t rfs_patches_count(const struct rfs_space *space);

#endif
