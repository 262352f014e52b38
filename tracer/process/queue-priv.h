/* queue-priv.h - stops that wait to be presented. They arrived while the tracer waited for another task, or the tracer
 * made them itself. rfs_tracer_wait() presents them before it asks the kernel for more. */
#ifndef RFS_TRACER_QUEUE_PRIV_H
#define RFS_TRACER_QUEUE_PRIV_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracer/tracer.h"

/* An element of the queue: a typed stop, or a raw wait status. */
struct rfs_pending {
	bool raw;
	pid_t tid;	      /* raw */
	int status;	      /* raw */
	struct rfs_stop stop; /* not raw */
	struct rfs_pending *prev, *next;
};

int rfs_queue_raw(struct rfs_tracer *tracer, pid_t tid, int status) __attribute__((warn_unused_result));
int rfs_queue_stop(struct rfs_tracer *tracer, const struct rfs_stop *stop) __attribute__((warn_unused_result));
struct rfs_pending rfs_queue_take(struct rfs_tracer *tracer); /* the first entry; the queue must not be empty */
void rfs_queue_release(struct rfs_tracer *tracer);

#endif
