/* translate.h - ids and ports in a system call: those that the target sees become the kernel's on the way in. */
#ifndef RFS_TRANSLATE_H
#define RFS_TRANSLATE_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_syscall;
struct rfs_task;

/* Before a call enters the kernel. True if it must stop at its exit, where the results are translated back. */
bool rfs_syscall_translate(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
			   const unsigned long *args);
/* Lets the thread go on into the call, translated. */
enum rfs_then rfs_syscall_proceed(struct rfs_run *run, struct rfs_thread *thread);

#endif
