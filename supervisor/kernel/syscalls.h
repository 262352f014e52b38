/* syscalls.h - a system call of the target at its entry and at its exit. */
#ifndef RFS_SYSCALLS_H
#define RFS_SYSCALLS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stop;
struct rfs_task;

/* Called when the thread has stopped at the entry or at the exit of a call. */
enum rfs_then rfs_syscall_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
enum rfs_then rfs_syscall_exit(struct rfs_run *run, struct rfs_thread *thread);
/*
 * The entry of a call of the thread of another process (family.h), at which the program's handler of the call is right,
 * too. What such a thread does to descriptors and kernel objects is not followed.
 */
enum rfs_then rfs_syscall_of_family(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);

#endif
