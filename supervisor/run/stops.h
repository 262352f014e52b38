/* stops.h - finds out what each stop of a task means for the run. */
#ifndef RFS_STOPS_H
#define RFS_STOPS_H

#include <stdbool.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_stop;
struct rfs_thread;

/* Handles one stop of any task of the target, and resumes or parks the task. */
void rfs_handle_stop(struct rfs_run *run, const struct rfs_stop *stop);
/*
 * If a signal is pending for the parked thread, the signal's handler runs before the operation. Returns UNDECIDED if
 * no signal is pending.
 */
enum rfs_then rfs_deliver_pending(struct rfs_run *run, struct rfs_thread *thread);

#endif
