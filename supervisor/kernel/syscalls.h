#ifndef RFS_SYSCALLS_H
#define RFS_SYSCALLS_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stop;
struct rfs_task;

enum rfs_then rfs_syscall_enter(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
enum rfs_then rfs_syscall_exit(struct rfs_run *run, struct rfs_thread *thread);
/* Before a call enters the kernel: the kernel's ids and ports stand in it for those that the target sees. True where it
 * must stop at its exit. */
bool rfs_syscall_translate(struct rfs_run *run, struct rfs_task *task, long number, const unsigned long *args);
/* Lets the thread go on into the call, translated. */
enum rfs_then rfs_syscall_proceed(struct rfs_run *run, struct rfs_thread *thread);

#endif
