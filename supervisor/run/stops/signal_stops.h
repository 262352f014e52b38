/* signal_stops.h - signals that reach controlled threads. */
#ifndef RFS_SIGNAL_STOPS_H
#define RFS_SIGNAL_STOPS_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_stop;
struct rfs_thread;

/* The thread stops because the kernel is about to deliver a signal. */
enum rfs_then rfs_signal_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/*
 * If a signal is pending for the parked thread, the signal's handler runs before the operation. Returns UNDECIDED if
 * no signal is pending.
 */
enum rfs_then rfs_deliver_pending(struct rfs_run *run, struct rfs_thread *thread);

#endif
