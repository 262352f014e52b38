#ifndef RFS_FOLLOW_RUN_H
#define RFS_FOLLOW_RUN_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_run;
struct rfs_stop;

/* A stop while the program to follow is not there yet: true where this is it. */
bool rfs_follow_begins(struct rfs_run *run, const struct rfs_stop *stop);
/* A task that is not controlled is gone. */
void rfs_follow_ended(struct rfs_run *run, const struct rfs_stop *stop);
/* The program has ended: the wrapper too, and how, where the program found nothing wrong. */
void rfs_follow_finish(struct rfs_run *run);
/* The program descends from this process. */
bool rfs_follow_is_above(const struct rfs_run *run, pid_t pid);

#endif
