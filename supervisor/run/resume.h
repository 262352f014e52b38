/* resume.h - lets tasks of the target go; see resume.c. */
#ifndef RFS_RESUME_H
#define RFS_RESUME_H

#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

struct rfs_run;
struct rfs_thread;
struct rfs_task;

/* Does what a handler said of the thread. Returns what came of it: that, or PARKED. */
enum rfs_then rfs_resume(struct rfs_run *run, struct rfs_thread *thread, enum rfs_then then);
/* Lets a task go that is not scheduled: another process, a thread that ends or waits in the kernel. 0 or -errno. */
int rfs_resume_beside(struct rfs_task *task, enum rfs_resume how, int signo);

#endif
