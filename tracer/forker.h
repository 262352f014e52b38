/*
 * forker.h - a stopped program, and copies of it that continue from there.
 *
 *     tracer of the original          tracer of a copy, one at a time
 *     task, never runs again          task, stopped where the original was
 *            \                       /
 *             one fork a copy: same memory, registers and breakpoints
 *
 * The copy is a child of the supervisor like the original (CLONE_PARENT), so that its end is reported once and no
 * zombie remains.
 */
#ifndef RFS_FORKER_H
#define RFS_FORKER_H

#include <stddef.h>

#include "tracer/tracer.h"

struct rfs_forker;

/*
 * Prepares a task to be copied in its present state. The registers in the cache count: the caller may have changed
 * them. The task must be the only one of its tracer, be stopped at RFS_STOP_BREAKPOINT, and not have made a thread. It
 * must not be resumed any more. clear_tid: the address that it gave to set_tid_address(2). shown: the id that the
 * target and its copies see as their own; 0: the kernel's id, which is different for each copy. 0 and *out
 * (rfs_forker_free; before its tracer), -ESRCH, -ENOMEM, or -ENOTSUP and a line in why, which names the state that a
 * copy would lack.
 */
int rfs_forker_new(struct rfs_task *task, rfs_addr clear_tid, pid_t shown, struct rfs_forker **out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * Makes a copy, the leader of a new process group. 0 and *out (rfs_tracer_free) with its one task, which must be
 * resumed unchanged before any other use; -EAGAIN: the system cannot create a process; -ESRCH: the original is gone.
 */
int rfs_forker_fork(struct rfs_forker *forker, struct rfs_tracer **out, struct rfs_task **task)
	__attribute__((warn_unused_result));
void rfs_forker_free(struct rfs_forker *forker);

#endif
