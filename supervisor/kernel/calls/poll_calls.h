/* poll_calls.h - poll, select, epoll and their variants. */
#ifndef RFS_POLL_CALLS_H
#define RFS_POLL_CALLS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;

/* Enter handler of all these calls. */
enum rfs_then rfs_sys_poll(struct rfs_run *run, struct rfs_thread *thread);
/*
 * At the exit of such a call, with the arguments of the target. If it has found nothing, and the kernel would make it
 * again because of a signal that the target ignores, its time is over.
 */
void rfs_poll_ignores(struct rfs_run *run, struct rfs_thread *thread);

#endif
