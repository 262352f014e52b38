/* proc_text.h - files of /proc whose text contains ids, with the ids that the target sees, and lists of processors. */
#ifndef RFS_PROC_TEXT_H
#define RFS_PROC_TEXT_H

#include <stdio.h>
#include <sys/types.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_task;

/*
 * Called before a call opens the file whose name is at *name. If it is such a file of a process of the target, or a
 * list of processors, makes a copy with corrected text, and *name becomes the copy's name. Returns a descriptor of the
 * copy; the caller closes it at the exit of the call. -1: it is another file.
 */
int rfs_proc_text_open(const struct rfs_run *run, struct rfs_task *task, int folder, rfs_addr *name);
/* How many seccomp filters the task has without rfsup's own. -1: the kernel does not say. */
int rfs_proc_filters(pid_t tid);

#endif
