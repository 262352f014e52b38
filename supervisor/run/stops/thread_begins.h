/* thread_begins.h - new threads and processes, from the clone of their parents on. */
#ifndef RFS_THREAD_BEGINS_H
#define RFS_THREAD_BEGINS_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_stop;
struct rfs_task;
struct rfs_thread;

/* Makes the thread of a task that stops for the first time. creator: NULL: not known yet. */
struct rfs_thread *rfs_thread_seen(struct rfs_run *run, struct rfs_task *task, struct rfs_thread *creator);
/* The first stop of a thread: it parks before its first instruction. */
enum rfs_then rfs_thread_begins(struct rfs_run *run, struct rfs_thread *t);
/* The parent of a new thread or process stops in clone or a similar call. */
enum rfs_then rfs_thread_clones(struct rfs_run *run, struct rfs_thread *parent, const struct rfs_stop *stop);
enum rfs_then rfs_thread_vfork_done(struct rfs_run *run, struct rfs_thread *thread);

#endif
