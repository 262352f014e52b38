/* thread_ends.h - the ends of threads, and of the process. */
#ifndef RFS_THREAD_ENDS_H
#define RFS_THREAD_ENDS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_stop;
struct rfs_thread;

/* A controlled thread is about to end. alone: only this thread ends, not the whole process. */
void rfs_thread_exits(struct rfs_run *run, struct rfs_thread *thread, bool alone);
/*
 * A controlled thread, which is the running one, is to execute its call of exit(2). Resumes it so that it ends without
 * the stop of its exit event. False: it needs that stop, and was not resumed.
 */
bool rfs_thread_leaves(struct rfs_run *run, struct rfs_thread *thread);
/* The thread of a process that ends is gone, or has left the run. */
void rfs_thread_left(struct rfs_run *run, struct rfs_thread *thread);
/* The task of a controlled thread has ended. */
void rfs_thread_gone(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);

#endif
