/* stopless_locks.h - mutex calls that execute without a stop, because there is nothing to choose. */
#ifndef RFS_STOPLESS_LOCKS_H
#define RFS_STOPLESS_LOCKS_H

#include <stdbool.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;

/* Call this before the thread is resumed. Lends the thread the operations that it may execute without a stop. */
void rfs_stopless_lend(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Call this for each lent operation that the thread has executed. locks: the thread locked the mutex; false: it
 * unlocked the mutex.
 */
void rfs_stopless_recorded(struct rfs_run *run, struct rfs_thread *thread, bool locks, rfs_addr mutex);

#endif
