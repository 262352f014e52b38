/* resume.h - resumes tasks of the target. */
#ifndef RFS_RESUME_H
#define RFS_RESUME_H

#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

struct rfs_run;
struct rfs_thread;
struct rfs_task;

/* Does what a handler decided for the thread. Returns that decision, or PARKED if the thread is parked instead. */
enum rfs_then rfs_resume(struct rfs_run *run, struct rfs_thread *thread, enum rfs_then then);
/*
 * Resumes a task that is not scheduled: a task of a child process, or a thread that ends or waits in the kernel.
 * Returns 0 or -errno.
 */
int rfs_resume_beside(struct rfs_task *task, enum rfs_resume how, int signo);

#endif
