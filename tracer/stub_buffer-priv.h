/* stub_buffer-priv.h - the tasks that write to the buffer. */
#ifndef RFS_TRACER_STUB_BUFFER_PRIV_H
#define RFS_TRACER_STUB_BUFFER_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"
#include "tracer/stub_buffer.h"

/* Gives the task a control block, at its first stop. False if all are in use. */
bool rfs_stub_buffer_join(struct rfs_task *task);
/* From now on, no task gets a control block. False if there is no buffer, or if this was called before. */
bool rfs_stub_buffer_set_given_up(struct rfs_space *space);
void rfs_stub_buffer_part(struct rfs_task *task);
/* Adds records to those that the task has written. False if there is no room. */
bool rfs_stub_buffer_add(struct rfs_task *task, const struct rfs_stub_record *more, size_t n);
/* Whether a fault at address means that the buffer is full. */
bool rfs_stub_buffer_full_at(const struct rfs_space *space, rfs_addr address);
/* Shares the buffer with space, a copy of the space of `from`; `to` is its only task. 0, -ENOMEM. */
int rfs_stub_buffer_copy(const struct rfs_task *from, struct rfs_task *to, struct rfs_space *space)
	__attribute__((warn_unused_result));
void rfs_stub_buffer_release(struct rfs_space *space);

#endif
