/*
 * stub_buffer.h - the memory that stubs (patch.h) write their records to.
 *
 * All threads of the target write to one buffer, because only one of them runs at a time and its records are taken at
 * its next stop. Each task has its own control block, to which its gs points. A child that shares the memory writes
 * records like any task. Copies of a stopped program (forker.h) share the buffer, because only one copy lives at a
 * time.
 */
#ifndef RFS_TRACER_STUB_BUFFER_H
#define RFS_TRACER_STUB_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_space;
struct rfs_task;
struct rfs_stub_lent;
struct rfs_stub_record;

/* Records that fit between two stops of a task. */
#define RFS_RECORDS_ROOM 16384

/*
 * Maps the buffer, through a task that is not in a system call and is the only one of its space. 0; -EEXIST: gs is in
 * use; -ESRCH; -ENOMEM: its address space is limited; other -errno: the target cannot map the memory, and nothing is
 * changed.
 */
int rfs_stub_buffer_open(struct rfs_task *task) __attribute__((warn_unused_result));
/* The records that a stopped task has written since the last call: up to RFS_RECORDS_ROOM, oldest first. Borrowed until
 * any task of the space is resumed. Returns how many. */
size_t rfs_stub_buffer_take(struct rfs_task *task, const struct rfs_stub_record **out);
/*
 * Says how often the task may pass the tests of stubs (struct rfs_stub_call) without a stop, until its next stop.
 * Without this call, no test is passed.
 */
void rfs_stub_buffer_lend(struct rfs_task *task, const struct rfs_stub_lent *lent);
/*
 * At RFS_STOP_RECORDS: if the thread blocks SIGSEGV, the kernel has reset the action of this signal (force_sig).
 * Restores the target's action if it was reset. action: as rt_sigaction takes it: handler, flags, restorer, mask. 0,
 * -ESRCH, -EIO.
 */
int rfs_stub_buffer_repair(struct rfs_task *task, const uint64_t action[4]) __attribute__((warn_unused_result));
/* Whether the address is in the control blocks or the buffer, which the target shares with us. */
bool rfs_stub_buffer_hold(const struct rfs_space *space, rfs_addr address);
/* True after rfs_patches_give_up(), or if more tasks existed at once than there are control blocks. */
bool rfs_stub_buffer_given_up(const struct rfs_space *space);

#endif
