#ifndef RFS_STOPS_H
#define RFS_STOPS_H

#include <stdbool.h>

#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_stop;
struct rfs_thread;

void rfs_handle_stop(struct rfs_run *run, const struct rfs_stop *stop);
/* The parked thread runs the handler of a pending signal first. UNDECIDED: none is pending. */
enum rfs_then rfs_deliver_pending(struct rfs_run *run, struct rfs_thread *thread);

#endif
