/* own_pipes.h - whether threads wait for each other through pipes and sockets that nobody else holds. */
#ifndef RFS_OWN_PIPES_H
#define RFS_OWN_PIPES_H

#include <stdbool.h>

struct rfs_asleep;
struct rfs_run;
struct rfs_thread;

/*
 * Call this when no thread can be picked and nothing is due. True if no thread can ever continue: each one waits for
 * another thread of the target or for a child, and at least one reads from or writes to a pipe or a connection within
 * the target, or waits for a child or for a signal of one. children: zeroed before the first call; if the target has
 * children, only a later call says true.
 */
bool rfs_own_pipes_deadlock(struct rfs_run *run, struct rfs_asleep *children);
/* Whether a child may end, or send a signal, so that a handler lets a thread continue. */
bool rfs_child_may_signal(const struct rfs_run *run);
/*
 * Whether the thread waits for a descriptor that other processes can use: a pipe that one has open, or a connection to
 * one. False also for calls that wait for several descriptors.
 */
bool rfs_own_pipes_is_shared(struct rfs_run *run, const struct rfs_thread *thread);

#endif
