/* children.h - the tasks of the target's child processes: which exist, and whether a choice has to wait for them. */
#ifndef RFS_CHILDREN_H
#define RFS_CHILDREN_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_quiesce;
struct rfs_run;
struct rfs_stop;
struct rfs_task;

/*
 * Adds a task to the list of children's tasks, unless the list has the task already or the task belongs to no child.
 * True if the task is in the list.
 */
bool rfs_children_seen(struct rfs_run *run, struct rfs_task *task);
/* Removes a task that has ended from the list, if it is there. */
void rfs_children_gone(struct rfs_run *run, const struct rfs_task *task);
/*
 * Call this at a clone event. If a child process creates a thread, notes the child's file name in the result, because
 * rfsup does not control the order of its threads.
 */
void rfs_children_note_thread(struct rfs_run *run, const struct rfs_stop *stop);
/* Call this when a task of a child begins to wait in vfork(2), and when its child has executed a program or ended. */
void rfs_children_vfork(struct rfs_run *run, const struct rfs_stop *stop);
/*
 * True if a child is at work, so that the choice has to wait. quiesce: keeps how long the choice has waited; the caller
 * zeroes *quiesce before the first call.
 */
bool rfs_children_move(struct rfs_run *run, struct rfs_quiesce *quiesce);
/* Whether the child process of the task has other threads. */
bool rfs_child_has_others(const struct rfs_run *run, const struct rfs_task *task);
/* True if a child sleeps for a limited time, and will go on without anybody else. */
bool rfs_children_sleep(const struct rfs_run *run);
/* Frees the list of children. */
void rfs_children_release(struct rfs_run *run);
/* A child process made a 32-bit system call. Warns once that rfsup does not translate these calls. */
void rfs_children_note_32_bit(struct rfs_run *run);

#endif
