/* lock_order.c - tells the lock graph what the target does. lock_order_cycles.c has the rest. */
#include "supervisor/state/findings/lock_order.h"

#include <stdint.h>

#include "policy/detect/lock_graph.h"
#include "policy/policy.h"
#include "supervisor/state/core/message.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/lock_order-priv.h"

/* NULL: the run needs no lock graph. */
static struct rfs_lock_graph *graph_of(const struct rfs_run *run)
{
	return run->lock_order ? run->lock_order->graph : NULL;
}

void rfs_lock_order_exec(struct rfs_run *run)
{
	const struct rfs_event everything = {.kind = RFS_EVENT_RESET, .op = {.size = UINT64_MAX}};

	if (graph_of(run))
		rfs_lock_graph_event(graph_of(run), &everything);
}

static struct rfs_lock_request request_of(const struct rfs_run *run, const struct rfs_lock_graph *graph, rfs_addr lock,
					  rfs_site site, unsigned how)
{
	return (struct rfs_lock_request){
		.lock = lock,
		.class = rfs_lock_graph_knows(graph, lock) ? 0 : run->lock_order->class_of(run, lock),
		.site = site,
		.how = how,
	};
}

void rfs_lock_order_acquired(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr lock, rfs_site site,
			     unsigned how)
{
	struct rfs_lock_graph *graph = graph_of(run);
	struct rfs_lock_request request;

	if (!graph)
		return;
	request = request_of(run, graph, lock, site, how);
	rfs_lock_graph_acquire(graph, thread->number, &request);
}

void rfs_lock_order_released(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr lock)
{
	struct rfs_lock_graph *graph = graph_of(run);

	if (graph)
		rfs_lock_graph_release(graph, thread->number, lock);
}

void rfs_lock_order_took(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr semaphore, unsigned how)
{
	struct rfs_lock_graph *graph = graph_of(run);
	struct rfs_lock_request request;

	if (!graph)
		return;
	request = request_of(run, graph, semaphore, thread->next.site, how);
	rfs_lock_graph_take(graph, thread->number, &request);
}

void rfs_lock_order_posted(struct rfs_run *run, const struct rfs_thread *thread, rfs_addr semaphore)
{
	struct rfs_lock_graph *graph = graph_of(run);

	if (graph)
		rfs_lock_graph_post(graph, thread->number, semaphore);
}

size_t rfs_lock_order_semaphores(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr *out, size_t max)
{
	struct rfs_lock_request held[HELD_MAX];
	size_t n = 0, n_held;

	if (!run->lock_order)
		return 0;
	n_held = rfs_lock_graph_held(run->lock_order->graph, thread->number, held, HELD_MAX);
	for (size_t i = 0; i < n_held && n < max; i++)
		if (rfs_lock_graph_is_lock(run->lock_order->graph, held[i].lock))
			out[n++] = held[i].lock;
	return n;
}

int rfs_lock_order_taker(const struct rfs_run *run, rfs_addr semaphore)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		rfs_addr taken[HELD_MAX];
		const size_t n = rfs_lock_order_semaphores(run, run->threads[i], taken, HELD_MAX);

		for (size_t k = 0; k < n; k++)
			if (taken[k] == semaphore)
				return (int)i;
	}
	return -1;
}

/* Whether the event is the message of a post, and the semaphore is used as a lock. Such messages are only the order of
 * a lock. */
static bool is_lock_message(const struct rfs_run *run, const struct rfs_lock_graph *graph,
			    const struct rfs_event *event)
{
	return (event->kind == RFS_EVENT_SEND || event->kind == RFS_EVENT_RECEIVE) &&
	       event->message == rfs_message(RFS_MESSAGE_POST, event->message) &&
	       rfs_lock_graph_is_lock(graph, run->threads[event->thread]->next.object);
}

void rfs_lock_order_event(struct rfs_run *run, const struct rfs_event *event)
{
	struct rfs_lock_graph *graph = graph_of(run);

	if (graph && !is_lock_message(run, graph, event))
		rfs_lock_graph_event(graph, event);
}
