/* children.h - tasks of child processes of the target; see children.c. */
#ifndef RFS_CHILDREN_H
#define RFS_CHILDREN_H

#include <stdbool.h>

struct rfs_quiesce;
struct rfs_run;
struct rfs_stop;
struct rfs_task;

void rfs_children_seen(struct rfs_run *run, struct rfs_task *task);
void rfs_children_gone(struct rfs_run *run, const struct rfs_task *task);
/* At an event of clone: a process beside the program has a thread more. How these run nobody decides. */
void rfs_children_note_thread(struct rfs_run *run, const struct rfs_stop *stop);
/* One of them is at work: the choice has to wait. quiesce: of the waiting so far, zero at first. */
bool rfs_children_move(struct rfs_run *run, struct rfs_quiesce *quiesce);
void rfs_children_release(struct rfs_run *run);

#endif
