/*
 * forker.h - a stopped program, and copies of it that continue from there.
 *
 *     tracer of the original          tracer of a copy, one at a time
 *     task, never runs again          task, stopped where the original was
 *            \                       /
 *             one fork a copy: same memory, registers and breakpoints
 *
 * Like the original, a copy is a child of the supervisor (CLONE_PARENT). Its end is therefore reported only to the
 * supervisor, and no zombie remains.
 */
#ifndef RFS_FORKER_H
#define RFS_FORKER_H

#include <stddef.h>

#include "tracer/tracer.h"

struct rfs_forker;

/*
 * Prepares a task to be copied in its present state, with the registers as the caller may have changed them. The task
 * must be stopped at RFS_STOP_BREAKPOINT, be the only one of its tracer, and not have made a thread. Afterwards it must
 * not be resumed.
 *
 * clear_tid: the address that the task gave to set_tid_address(2). shown: the thread id that the target and its copies
 * see as their own. If shown is 0, they see the kernel's id, which is different for each copy.
 *
 * Returns 0 and *out (free with rfs_forker_free(), before the tracer); -ESRCH; -ENOMEM; or -ENOTSUP if a copy would
 * lack a part of the state. A line in why then names that part.
 */
int rfs_forker_new(struct rfs_task *task, rfs_addr clear_tid, pid_t shown, struct rfs_forker **out, char *why, size_t n)
	__attribute__((warn_unused_result));
/*
 * Makes a copy, which leads a new process group. Returns 0, *out (free with rfs_tracer_free()) and its only task. That
 * task must be resumed unchanged before any other use. Returns -EAGAIN if the system cannot create a process, -ESRCH if
 * the original is gone, or -ENOMEM.
 */
int rfs_forker_fork(struct rfs_forker *forker, struct rfs_tracer **out, struct rfs_task **task)
	__attribute__((warn_unused_result));
void rfs_forker_free(struct rfs_forker *forker);

#endif
