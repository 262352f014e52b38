/* translate.h - replaces ids and ports in a system call: the target's numbers by the kernel's at the entry. */
#ifndef RFS_TRANSLATE_H
#define RFS_TRANSLATE_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_syscall;
struct rfs_task;

/*
 * Called before a call enters the kernel. True if the call must stop at its exit, where the results are translated
 * back.
 */
bool rfs_syscall_translate(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
			   const unsigned long *args);
/* Translates the thread's call. The decision lets it enter the kernel. */
enum rfs_then rfs_syscall_proceed(struct rfs_run *run, struct rfs_thread *thread);

#endif
