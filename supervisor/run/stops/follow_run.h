/* follow_run.h - --follow in a controlled run: where the program begins, and whether the wrapper has ended. */
#ifndef RFS_FOLLOW_RUN_H
#define RFS_FOLLOW_RUN_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_run;
struct rfs_stop;

/* Handles a stop while the program to follow has not started yet. Returns true if the program starts at this stop. */
bool rfs_follow_begins(struct rfs_run *run, const struct rfs_stop *stop);
/* Call this when a task that is not controlled has ended. Does something only if the task is the wrapper,
 * or the first process of a program whose place another one has taken. */
void rfs_follow_ended(struct rfs_run *run, const struct rfs_stop *stop);
/* Whether the program descends from this process. */
bool rfs_follow_is_above(const struct rfs_run *run, pid_t pid);

#endif
