/* translate.h - translates ids and ports in a system call from those that the target sees to the kernel's. */
#ifndef RFS_TRANSLATE_H
#define RFS_TRANSLATE_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_syscall;
struct rfs_task;

/* Called before a call enters the kernel. True if it must stop at its exit, where the results are translated back. */
bool rfs_syscall_translate(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
			   const unsigned long *args);
/* Translates the thread's call and lets it enter the kernel. */
enum rfs_then rfs_syscall_proceed(struct rfs_run *run, struct rfs_thread *thread);

#endif
