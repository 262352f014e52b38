/*
 * gdb_count.h - counts hits of breakpoints without stops, on the way to another moment.
 */
#ifndef RFS_GDB_COUNT_H
#define RFS_GDB_COUNT_H

struct rfs_gdb_point;
struct rfs_run;
struct rfs_thread;

/* The point has stopped the run on the way to another moment: after some stops it gets a stub, which counts. */
void rfs_gdb_count_stop(struct rfs_run *run, struct rfs_thread *thread, struct rfs_gdb_point *point);
/* The thread is about to run: says which hits need not stop it. */
void rfs_gdb_count_lend(struct rfs_run *run, struct rfs_thread *thread);
/* A thread is about to be stepped, and must not get into a stub: takes the stubs away. */
void rfs_gdb_count_end(struct rfs_run *run);
/* The thread has stopped: notes the hits that did not stop it. */
void rfs_gdb_count_take(struct rfs_run *run, struct rfs_thread *thread);

#endif
