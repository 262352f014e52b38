/* The queue of stops that rfs_tracer_wait() presents before it asks the kernel for more. */
#include "tracer/process/queue-priv.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

#include "tracer/process/tracer-priv.h"

int rfs_queue_raw(struct rfs_tracer *tracer, pid_t tid, int status)
{
	struct rfs_pending *pending = calloc(1, sizeof(*pending));

	if (!pending)
		return -ENOMEM;
	pending->raw = true;
	pending->tid = tid;
	pending->status = status;
	DL_APPEND(tracer->queue, pending);
	return 0;
}

int rfs_queue_stop(struct rfs_tracer *tracer, const struct rfs_stop *stop)
{
	struct rfs_pending *pending = calloc(1, sizeof(*pending));

	if (!pending)
		return -ENOMEM;
	pending->stop = *stop;
	DL_APPEND(tracer->queue, pending);
	return 0;
}

struct rfs_pending rfs_queue_take(struct rfs_tracer *tracer)
{
	struct rfs_pending *first = tracer->queue;
	struct rfs_pending pending = *first;

	DL_DELETE(tracer->queue, first);
	free(first);
	return pending;
}

void rfs_queue_release(struct rfs_tracer *tracer)
{
	while (tracer->queue)
		(void)rfs_queue_take(tracer);
}
