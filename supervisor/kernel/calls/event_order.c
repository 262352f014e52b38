/* event_order.c - changes the results of poll, select and epoll_wait in the memory of the target. */
#include "supervisor/kernel/calls/event_order.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "disasm/addr.h"
#include "policy/core/rng.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

/* The draws for each call are a stream of the seed: from event_order of the spec, and the number of the call. */
#define ORDER_SHIFT 32
/* Larger sets are left as they are. */
#define EVENTS_MOST 4096

/* Chooses how many of n are kept: all of them as often as fewer. */
static size_t draw_kept(struct rfs_rng *rng, size_t n)
{
	return rfs_rng_chance(rng, 1, 2) ? n : 1 + (size_t)rfs_rng_below(rng, n - 1);
}

/* ---- epoll ---- */

/* Draws: for each place from the last one, which of those up to it is there. */
static void shuffle_events(struct rfs_run *run, struct rfs_rng *rng, rfs_addr address, size_t n)
{
	struct epoll_event *events = xcalloc(n, sizeof(*events));

	if (rfs_peek(run, address, events, n * sizeof(*events))) {
		for (size_t i = n - 1; i > 0; i--) {
			const size_t k = (size_t)rfs_rng_below(rng, i + 1);
			const struct epoll_event event = events[i];

			events[i] = events[k];
			events[k] = event;
		}
		(void)!rfs_poke(run, address, events, n * sizeof(*events));
	}
	free(events);
}

/* ---- poll and select ---- */

/*
 * Decides which of n ready ones are reported. Draws: how many; then for each whether it is kept, with the probability
 * that is left. Returns how many are kept; kept[] has the decision for each.
 */
static size_t draw_subset(struct rfs_rng *rng, size_t n, bool *kept)
{
	const size_t all = draw_kept(rng, n);
	size_t left = all;

	for (size_t i = 0; i < n; i++) {
		kept[i] = rfs_rng_below(rng, n - i) < left;
		left -= kept[i];
	}
	return all;
}

/* Returns how many descriptors the call reports. */
static size_t keep_pollfds(struct rfs_run *run, struct rfs_rng *rng, const unsigned long *args, size_t n)
{
	const size_t size = args[1];
	struct pollfd *fds;
	bool kept[EVENTS_MOST];
	size_t reported = n, at = 0;

	if (size > EVENTS_MOST)
		return n;
	fds = xcalloc(size, sizeof(*fds));
	if (rfs_peek(run, args[0], fds, size * sizeof(*fds))) {
		reported = draw_subset(rng, n, kept);
		for (size_t i = 0; i < size; i++)
			if (fds[i].revents && at < n && !kept[at++])
				fds[i].revents = 0;
		(void)!rfs_poke(run, args[0], fds, size * sizeof(*fds));
	}
	free(fds);
	return reported;
}

/* The same for the three sets of select. A descriptor counts once for each set that it is in. */
static size_t keep_fdsets(struct rfs_run *run, struct rfs_rng *rng, const unsigned long *args, size_t n)
{
	const int count = (int)args[0] < FD_SETSIZE ? (int)args[0] : FD_SETSIZE;
	const size_t bytes = ((size_t)count + 63) / 64 * 8;
	bool kept[3 * FD_SETSIZE];
	fd_set sets[3];
	size_t at = 0, reported;

	for (size_t k = 0; k < 3; k++) {
		FD_ZERO(&sets[k]);
		if (args[1 + k] && !rfs_peek(run, args[1 + k], &sets[k], bytes))
			return n;
	}
	reported = draw_subset(rng, n, kept);
	for (size_t k = 0; k < 3; k++) {
		for (int fd = 0; fd < count; fd++)
			if (FD_ISSET(fd, &sets[k]) && at < n && !kept[at++])
				FD_CLR(fd, &sets[k]);
		if (args[1 + k])
			(void)!rfs_poke(run, args[1 + k], &sets[k], bytes);
	}
	return reported;
}

/* ---- which calls ---- */

static bool chooses(const struct rfs_run *run, const struct rfs_thread *thread, long result)
{
	const struct rfs_run_spec *spec = run->spec;

	return spec->events && run->main_reached && !spec->detector && !spec->plan.pair && !spec->plan.cycle &&
	       result > 1 && result <= EVENTS_MOST && !thread->call->from_outside;
}

void rfs_event_order_choose(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	const size_t n = (size_t)result;
	struct rfs_rng rng;

	if (!chooses(run, thread, result))
		return;
	rfs_rng_init_stream(&rng, run->spec->seed,
			    (run->spec->event_order << ORDER_SHIFT) + ++run->kernel->event_calls);
	switch (thread->call->row->waits) {
	case RFS_WAITS_EPOLL:
		shuffle_events(run, &rng, thread->args[1], n);
		return;
	case RFS_WAITS_POLL:
		rfs_task_regs_mut(thread->task)->rax = keep_pollfds(run, &rng, thread->args, n);
		return;
	case RFS_WAITS_SELECT:
		if (n <= 3 * FD_SETSIZE)
			rfs_task_regs_mut(thread->task)->rax = keep_fdsets(run, &rng, thread->args, n);
		return;
	default:
		return;
	}
}
