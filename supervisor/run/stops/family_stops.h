/* family_stops.h - stops of the threads of other processes that are scheduled (state/core/family.h). */
#ifndef RFS_FAMILY_STOPS_H
#define RFS_FAMILY_STOPS_H

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_stop;
struct rfs_thread;

/* The thread has forked a process that stays under control. It becomes a thread of the run. */
void rfs_family_born(struct rfs_run *run, struct rfs_thread *parent, const struct rfs_stop *stop);
/*
 * Handles a stop that means something else for the thread of another process than for one of the program. Undecided:
 * the stop means the same.
 */
enum rfs_then rfs_family_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);

#endif
