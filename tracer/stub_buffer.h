/*
 * stub_buffer.h - the memory that stubs (patch.h) write their records to.
 *
 * All of the target's threads write to one buffer: one of them runs at a time, and what it wrote is taken at its next
 * stop. Every task has a control block of its own, which its gs points to. A child that shares the memory writes
 * records like any task. Copies of a stopped program (forker.h) share the buffer: no more than one of them lives at a
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

#endif
