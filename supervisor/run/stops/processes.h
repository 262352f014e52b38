/*
 * processes.h - which process of the program is controlled (docs/internals/processes.md, "The process that takes the
 * place").
 *
 * A program may have one thread, and fork a process that has several. A process is named by its path: "2.1" is the
 * first process that the second process of the program has forked. If the spec has the path of a process, that process
 * takes the place of the program when it is forked.
 */
#ifndef RFS_PROCESSES_H
#define RFS_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_quiesce;
struct rfs_run;
struct rfs_stop;
struct rfs_task;
struct rfs_thread;

/* Prepares what the lessons of the spec say. The target has been started. */
void rfs_processes_open(struct rfs_run *run);
void rfs_processes_release(struct rfs_run *run);
/* A task has forked a process, and the process has not taken the place of the program. */
void rfs_processes_forked(struct rfs_run *run, const struct rfs_stop *stop);
/* The process that the thread has forked has taken the place of the program. The thread continues in that process. */
void rfs_processes_take(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* The parent of such a process returns from its fork. */
void rfs_processes_left(struct rfs_run *run, struct rfs_task *task);
/* A process that is not controlled has executed a program, has made a thread, or has ended. */
void rfs_processes_executed(struct rfs_run *run, const struct rfs_task *task);
void rfs_processes_threaded(struct rfs_run *run, pid_t pid);
void rfs_processes_gone(struct rfs_run *run, pid_t pid);
/* A process that is not controlled is about to end. Its memory is still there. */
void rfs_processes_ending(struct rfs_run *run, const struct rfs_task *task);
/*
 * A process that is not controlled gets something from outside (nondeterminism.h). Whether the run will be made again
 * with that process under control.
 */
bool rfs_processes_serves(struct rfs_run *run, const struct rfs_task *task);
/* Whether a process may still make a thread, although the run has ended at the time `since`. */
bool rfs_processes_may_thread(struct rfs_run *run, double since, struct rfs_quiesce *quiesce);
/*
 * Call this when the run has ended. If the program had one thread, and a process that it has forked had several, and
 * the spec asks for it, the run is made again with that process in the program's place. If a process has used memory
 * that it shares with the program, or has got something from outside, the run is made again with both under control.
 */
void rfs_processes_end(struct rfs_run *run);

#endif
