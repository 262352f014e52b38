/* children.h - the tasks of the target's child processes: which exist, and whether a choice has to wait for them. */
#ifndef RFS_CHILDREN_H
#define RFS_CHILDREN_H

#include <stdbool.h>

struct rfs_quiesce;
struct rfs_run;
struct rfs_stop;
struct rfs_task;

/* A task of a child process exists. Adds it once; later calls change nothing. */
void rfs_children_seen(struct rfs_run *run, struct rfs_task *task);
/* The task has ended, or is no child's task any more. */
void rfs_children_gone(struct rfs_run *run, const struct rfs_task *task);
/*
 * At a clone event: notes in the result that a child process has threads, because rfsup does not control their order.
 */
void rfs_children_note_thread(struct rfs_run *run, const struct rfs_stop *stop);
/* True if a child is at work, so that the choice has to wait. quiesce: the waiting so far, all zero at first. */
bool rfs_children_move(struct rfs_run *run, struct rfs_quiesce *quiesce);
/* Frees the list of children. */
void rfs_children_release(struct rfs_run *run);

#endif
