/* child_stops.h - stops of tasks that rfsup does not schedule. */
#ifndef RFS_CHILD_STOPS_H
#define RFS_CHILD_STOPS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_stop;
struct rfs_task;

/* Handles the stop of a task of a child process, or of any task before the program to follow starts; resumes the task.
 */
void rfs_child_stopped(struct rfs_run *run, const struct rfs_stop *stop);
/* Whether the system call at which a task has stopped is a 64-bit one. The table of system calls has no others. */
bool rfs_stop_is_64_bit(const struct rfs_stop *stop);

/*
 * A task of another process is at the entry of a call: answers the call, or translates ids and ports in it. True: the
 * task must also stop at the exit of the call.
 */
bool rfs_child_calls(struct rfs_run *run, const struct rfs_stop *stop);
/* The task is at that exit. */
void rfs_child_call_ends(struct rfs_run *run, struct rfs_task *task);

#endif
