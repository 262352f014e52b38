/* poll_calls.h - poll, select, epoll and their variants. */
#ifndef RFS_POLL_CALLS_H
#define RFS_POLL_CALLS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;

/* Enter handler of all these calls. */
enum rfs_then rfs_sys_poll(struct rfs_run *run, struct rfs_thread *thread);

#endif
