/* refused.h - system calls that rfsup refuses because it traces the target itself. */
#ifndef RFS_REFUSED_H
#define RFS_REFUSED_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_task;

/* Answers EPERM and warns the user: ptrace, and clone of a task that cannot be traced. */
enum rfs_then rfs_sys_refused(struct rfs_run *run, struct rfs_thread *thread);
/* The same for a task of a child process that has stopped at the entry of a call. False: the call is not refused. */
bool rfs_refused_child(struct rfs_run *run, struct rfs_task *task, long number);

#endif
