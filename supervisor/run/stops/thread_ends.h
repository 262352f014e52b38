/* thread_ends.h - the ends of threads, and of the process. */
#ifndef RFS_THREAD_ENDS_H
#define RFS_THREAD_ENDS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_stop;
struct rfs_thread;

/* A controlled thread is about to end. alone: only this thread ends, not the whole process. */
void rfs_thread_exits(struct rfs_run *run, struct rfs_thread *thread, bool alone);
/* The task of a controlled thread has ended. */
void rfs_thread_gone(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);

#endif
