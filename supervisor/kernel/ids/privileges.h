/* privileges.h - answers to calls that ask for the privileges of the target. They hide rfsup's own seccomp filter. */
#ifndef RFS_PRIVILEGES_H
#define RFS_PRIVILEGES_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_task;
struct rfs_thread;

/* Whether the target has given up new privileges, or rfsup had before it started the target (PR_SET_NO_NEW_PRIVS). */
bool rfs_privileges_given_up(const struct rfs_run *run);
/* Called at the entry of prctl. True if the call asks what rfsup has changed; *result is then the answer. */
bool rfs_privileges_answer(struct rfs_run *run, struct rfs_task *task, const unsigned long *args, long *result);
/* Enter handler of prctl. */
enum rfs_then rfs_sys_prctl(struct rfs_run *run, struct rfs_thread *thread);

#endif
