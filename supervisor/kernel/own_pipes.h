/* own_pipes.h - whether threads wait for each other through pipes and sockets that nobody else holds. */
#ifndef RFS_OWN_PIPES_H
#define RFS_OWN_PIPES_H

#include <stdbool.h>

struct rfs_run;

/*
 * Call this when no thread can be picked and nothing is due. True if no thread can ever continue: each one waits for
 * another thread of the target, and at least one reads from or writes to a pipe or a connection within the target.
 */
bool rfs_own_pipes_deadlock(struct rfs_run *run);

#endif
