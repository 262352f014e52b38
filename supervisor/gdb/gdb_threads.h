/* gdb_threads.h - which threads of the run gdb sees. */
#ifndef RFS_GDB_THREADS_H
#define RFS_GDB_THREADS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* True if gdb sees this thread: it has begun and has not ended. A signal handler is a thread only while it runs. */
bool rfs_gdb_shows(const struct rfs_thread *thread);
/* The first thread that gdb sees. NULL: no thread is left. */
struct rfs_thread *rfs_gdb_any_thread(const struct rfs_run *run);
/* The thread itself if gdb sees it. For a handler that is about to begin, the thread that it interrupts. */
struct rfs_thread *rfs_gdb_stand_in(const struct rfs_run *run, struct rfs_thread *thread);

#endif
