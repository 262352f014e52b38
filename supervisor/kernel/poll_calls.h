#ifndef RFS_POLL_CALLS_H
#define RFS_POLL_CALLS_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;

/* poll, select, epoll and their variants */
enum rfs_then rfs_sys_poll(struct rfs_run *run, struct rfs_thread *thread);
/* The arguments of a poll are those that the target gave again; nothing for other calls. */
void rfs_poll_restore(struct rfs_thread *thread);
/* The poll came back empty, before its time: it is made again. */
bool rfs_poll_is_again(const struct rfs_thread *thread, long result);

#endif
