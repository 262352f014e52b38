#ifndef RFS_STOPLESS_LOCKS_H
#define RFS_STOPLESS_LOCKS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;

/* The thread is let go: lends it the operations that it may execute without a stop. */
void rfs_stopless_lend(struct rfs_run *run, struct rfs_thread *thread);
/* It executed one of those. */
void rfs_stopless_recorded(struct rfs_run *run, struct rfs_thread *thread, bool locks, rfs_addr mutex);

#endif
