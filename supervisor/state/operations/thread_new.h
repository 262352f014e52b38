/* thread_new.h - a thread of the target begins. */
#ifndef RFS_THREAD_NEW_H
#define RFS_THREAD_NEW_H

#include <sys/types.h>

struct rfs_run;
struct rfs_task;
struct rfs_thread;

/* Adds a thread to the run, which owns it. task: NULL for a signal handler (run/stops/handlers.h). tid: the id as the
 * target sees it. creator: NULL if it is not known yet. */
struct rfs_thread *rfs_thread_new(struct rfs_run *run, struct rfs_task *task, pid_t tid, struct rfs_thread *creator);
/*
 * Sets the creator of the thread. The creator may become known only after rfs_thread_new(). NULL: no thread created
 * this thread.
 */
void rfs_thread_adopt(struct rfs_thread *thread, struct rfs_thread *creator);

#endif
