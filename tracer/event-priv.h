/* event-priv.h - from a raw status to a typed stop. */
#ifndef RFS_TRACER_EVENT_PRIV_H
#define RFS_TRACER_EVENT_PRIV_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_tracer;
struct rfs_stop;

/* Turns one status into a stop. 1 and *out; 0: there is nothing to present, or the stop was queued; -ENOMEM. */
int rfs_event_present(struct rfs_tracer *tracer, pid_t tid, int status, struct rfs_stop *out)
	__attribute__((warn_unused_result));
/* A queued stop is about to be given to the caller. False if its task is gone meanwhile. */
bool rfs_event_give(const struct rfs_stop *stop);

#endif
