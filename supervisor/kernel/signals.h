#ifndef RFS_SIGNALS_H
#define RFS_SIGNALS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_thread;

/* The signal does nothing to the target: it is ignored, or not handled and ignored by default (signal(7)). */
bool rfs_signal_is_ignored(const struct rfs_run *run, int signo);
/* One of these signals is not ignored. */
bool rfs_signal_matters(const struct rfs_run *run, unsigned long mask);
/* Signals that are pending for the thread, not blocked and not ignored: bit signo - 1 of *mask. */
bool rfs_signal_waits(struct rfs_run *run, struct rfs_thread *thread, unsigned long *mask);

#endif
