#ifndef RFS_STOPS_H
#define RFS_STOPS_H

#include <stdbool.h>

struct rfs_run;
struct rfs_stop;
struct rfs_thread;

void rfs_handle_stop(struct rfs_run *run, const struct rfs_stop *stop);
/* True where a signal was delivered instead of the parked operation. */
bool rfs_deliver_pending(struct rfs_run *run, struct rfs_thread *thread);

#endif
