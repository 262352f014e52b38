/* stub_buffer-priv.h - gives tasks their part in the stub buffer. */
#ifndef RFS_TRACER_STUB_BUFFER_PRIV_H
#define RFS_TRACER_STUB_BUFFER_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "disasm/addr.h"
#include "tracer/stub_buffer.h"

/* Gives the task a control block, at its first stop. False if there is none: all are in use, or patches were given up.
 * */
bool rfs_stub_buffer_join(struct rfs_task *task);
/* No task gets a control block after this call. False if there is no buffer, or if this was called before. */
bool rfs_stub_buffer_set_given_up(struct rfs_space *space);
/* Takes the task's control block away, because the task ends. Records that were not taken yet stay with the task. */
void rfs_stub_buffer_part(struct rfs_task *task);
/* Adds records after those that the task has written. False if there is no room. */
bool rfs_stub_buffer_add(struct rfs_task *task, const struct rfs_stub_record *more, size_t n);
/* Whether a fault at address means that the buffer is full. */
bool rfs_stub_buffer_full_at(const struct rfs_space *space, rfs_addr address);
/* Lets `space`, a copy of the space of `from`, use the same buffer. `to` is the only task of `space`. Returns 0 or
 * -ENOMEM. */
int rfs_stub_buffer_copy(const struct rfs_task *from, struct rfs_task *to, struct rfs_space *space)
	__attribute__((warn_unused_result));
/* The table of the filter has RFS_FILTER_SIZE >> shift bytes. */
unsigned rfs_stub_buffer_shift(const struct rfs_space *space);
void rfs_stub_buffer_release(struct rfs_space *space);

#endif
