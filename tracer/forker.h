/*
 * forker.h - a stopped program, and copies of it that continue from there.
 *
 *     tracer of the original          tracer of a copy, one at a time
 *     task, never runs again          task, stopped where the original was
 *            \                       /
 *             one fork a copy: same memory, registers and breakpoints
 *
 * The copy is a child of the supervisor like the original (CLONE_PARENT), so that its end is reported once and nothing
 * remains of it.
 */
#ifndef RFS_FORKER_H
#define RFS_FORKER_H

#include <stddef.h>

#include "tracer/tracer.h"

struct rfs_forker;

/*
 * Readies the only task of its tracer, stopped at RFS_STOP_BREAKPOINT before its first thread was made, for being
 * copied from its present state (registers as they are in the cache: the caller may have changed them). The task must
 * not be resumed any more. clear_tid: what it gave to set_tid_address(2). shown: the id that the target sees as its
 * own, which its copies keep; 0: the kernel's id, which is different for each copy. 0 and *out (rfs_forker_free; before
 * its tracer), -ESRCH, -ENOMEM, or -ENOTSUP and a line in why: the state that a copy would lack.
 */
int rfs_forker_new(struct rfs_task *task, rfs_addr clear_tid, pid_t shown, struct rfs_forker **out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * Makes a copy, the leader of a new process group. 0 and *out (rfs_tracer_free) with its one task, which must be
 * resumed as it is, before anything else is done with it; -EAGAIN: the system cannot create a process; -ESRCH: the
 * original is gone.
 */
int rfs_forker_fork(struct rfs_forker *forker, struct rfs_tracer **out, struct rfs_task **task)
	__attribute__((warn_unused_result));
void rfs_forker_free(struct rfs_forker *forker);

#endif
