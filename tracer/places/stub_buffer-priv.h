/* stub_buffer-priv.h - gives tasks their part in the stub buffer. */
#ifndef RFS_TRACER_STUB_BUFFER_PRIV_H
#define RFS_TRACER_STUB_BUFFER_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "tracer/stub_buffer.h"

/* What a task needs for stubs. */
struct rfs_task_stub {
	struct rfs_stub_control *control; /* its control block; NULL: none */
	struct rfs_stub_record *left; /* records that were not taken before the task lost its control block; owned */
	size_t n_left;
	struct rfs_stub_dropped dropped;  /* by the filter, and not yet asked for */
	uint64_t passes[RFS_STUB_PASSES]; /* what was left of the counters of hot statements at the last stop */
	bool foreign_gs; /* a fork made the task: its gs still points to the control block of its maker */
};

/* Call it at the first stop of a task. Gives the task a control block if its space has a buffer. False if there is
 * none: all are in use, or patches were given up. */
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
