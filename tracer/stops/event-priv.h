/* event-priv.h - turns a raw wait status into a typed stop. To present a stop is to return it from rfs_tracer_wait().
 * */
#ifndef RFS_TRACER_EVENT_PRIV_H
#define RFS_TRACER_EVENT_PRIV_H

#include <stdbool.h>
#include <sys/types.h>

struct rfs_tracer;
struct rfs_stop;

/* Turns one wait status into a stop. Returns 1 and *out; 0 if there is nothing to present now, for example because the
 * stop was queued; or -ENOMEM. */
int rfs_event_present(struct rfs_tracer *tracer, pid_t tid, int status, struct rfs_stop *out)
	__attribute__((warn_unused_result));
/* Call it before a queued stop is presented. Returns false if the stop must be dropped, because its task is no longer
 * stopped or is being killed. */
bool rfs_event_give(const struct rfs_stop *stop);

#endif
