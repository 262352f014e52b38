/*
 * poll_calls.c - poll, select and epoll: enabled when one of the descriptors is ready.
 *
 * When such a call is chosen, it runs with a timeout of zero, because the target's timeout is in virtual time.
 */
#include "supervisor/kernel/calls/poll_calls.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/select.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/calls/blocking.h"
#include "supervisor/kernel/calls/call_faults.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/core/wait_arguments.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/signals/signal_fd.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

/*
 * A timespec of zero for a poll is stored this many bytes below the stack pointer. The distance is larger than the red
 * zone.
 */
#define SCRATCH_BELOW_STACK 1024

static bool ready_pollfds(struct rfs_run *run, struct rfs_thread *thread, rfs_addr fds, size_t n)
{
	struct pollfd *p;
	bool ready = false;

	if (n == 0 || n > 65536)
		return false;
	p = xmalloc(n * sizeof(*p));
	if (!rfs_peek(run, fds, p, n * sizeof(*p)))
		ready = true; /* the call fails at once */
	for (size_t i = 0; i < n && !ready; i++) {
		int fd = p[i].fd < 0 ? -1 : rfs_fd_duplicate(run, p[i].fd);

		ready = p[i].fd >= 0 && (fd < 0 || rfs_fd_finds(run, thread, fd, p[i].events));
		if (fd >= 0)
			close(fd);
	}
	free(p);
	return ready;
}

static bool ready_fdset(struct rfs_run *run, struct rfs_thread *thread, rfs_addr set, int n, short events)
{
	fd_set fds;
	size_t bytes = ((size_t)n + 63) / 64 * 8;

	if (set == 0 || n <= 0)
		return false;
	if (bytes > sizeof(fds))
		bytes = sizeof(fds);
	if (!rfs_peek(run, set, &fds, bytes))
		return true;
	for (int i = 0; i < n && i < FD_SETSIZE; i++) {
		int fd;
		bool ready;

		if (!FD_ISSET(i, &fds))
			continue;
		fd = rfs_fd_duplicate(run, i);
		ready = fd < 0 || rfs_fd_finds(run, thread, fd, events);
		if (fd >= 0)
			close(fd);
		if (ready)
			return true;
	}
	return false;
}

/* Whether a signal is pending that the thread blocks now, but not during this call. Such a signal interrupts it. */
static bool lets_signal_in(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long queued, mask;

	return rfs_poll_mask(run, thread, &mask) && rfs_task_queued_signals(thread->task, &queued) == 0 &&
	       rfs_signal_matters(run, thread, queued & ~mask);
}

static unsigned ready_poll(struct rfs_run *run, struct rfs_thread *thread)
{
	const unsigned long *args = thread->args;
	bool ready = false;

	switch (thread->call->row->waits) {
	case RFS_WAITS_POLL:
		ready = ready_pollfds(run, thread, args[0], args[1]);
		break;
	case RFS_WAITS_SELECT:
		ready = ready_fdset(run, thread, args[1], (int)args[0], POLLIN) ||
			ready_fdset(run, thread, args[2], (int)args[0], POLLOUT) ||
			ready_fdset(run, thread, args[3], (int)args[0], POLLPRI);
		break;
	default:
		ready = thread->call->fd < 0 ||
			(rfs_signal_descriptors(run) && rfs_signal_fd_in_epoll(run, thread, thread->call->fd)) ||
			rfs_fd_polls(thread->call->fd, POLLIN);
		break;
	}
	ready = rfs_input_ready(run, thread, ready) || thread->deadline <= run->time.now || lets_signal_in(run, thread);
	return rfs_timers_ready(run, ready, ready ? RFS_NEVER : thread->deadline, false);
}

static enum rfs_then go_poll(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_addr scratch = rfs_task_regs(thread->task)->rsp - SCRATCH_BELOW_STACK;
	uint64_t zero[2] = {0, 0};
	const struct rfs_syscall *row = thread->call->row;
	bool pointer = row->timeout_as != RFS_TIMEOUT_MILLISECONDS;
	enum rfs_then then;

	if (rfs_call_fault(run, thread, choice, &then))
		return then;
	if (lets_signal_in(run, thread)) {
		/* the timeout stays, because with a timeout of zero the kernel would not look at signals */
		thread->call->from_outside = thread->call->retry = false;
		return rfs_go_syscall(run, thread, choice);
	}
	if (pointer && !rfs_poke(run, scratch, zero, sizeof(zero))) {
		rfs_run_uncontrolled(run, "cannot write to the stack of thread %d", thread->number);
		return RFS_THEN_END;
	}
	rfs_poll_set_timeout(thread, pointer ? scratch : 0);
	thread->call->retry = choice->outcome == RFS_OUTCOME_DONE && thread->deadline > run->time.now;
	return rfs_go_syscall(run, thread, choice);
}

static bool read_timeout(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_syscall *row = thread->call->row;
	unsigned long argument = thread->args[row->timeout];
	int64_t t[2];
	uint64_t nanos;

	thread->deadline = RFS_NEVER;
	if (row->timeout_as == RFS_TIMEOUT_MILLISECONDS) {
		if ((int)argument >= 0)
			thread->deadline = run->time.now + (uint64_t)(int)argument * 1000000;
		return true;
	}
	if (argument == 0)
		return true;
	if (!rfs_peek(run, argument, t, sizeof(t)) || t[0] < 0 || t[1] < 0)
		return false;
	nanos = (uint64_t)t[1] * (row->timeout_as == RFS_TIMEOUT_TIMEVAL ? 1000 : 1);
	if ((uint64_t)t[0] < UINT64_MAX / RFS_NANOS / 4)
		thread->deadline = run->time.now + (uint64_t)t[0] * RFS_NANOS + nanos;
	return true;
}

enum rfs_then rfs_sys_poll(struct rfs_run *run, struct rfs_thread *thread)
{
	bool epoll = thread->call->row->waits == RFS_WAITS_EPOLL;

	if (!read_timeout(run, thread))
		return RFS_THEN_UNDECIDED; /* the call fails at once */
	thread->call->due = thread->deadline;
	thread->call->retry = true;
	thread->call->awaited.known = false;
	thread->call->fd = epoll ? rfs_fd_duplicate(run, (int)thread->args[0]) : -1;
	rfs_input_consider(run, thread, -1);
	thread->next.access = rfs_call_fault_offer(run, thread, thread->deadline <= run->time.now);
	return rfs_park(run, thread, thread->next, ready_poll, go_poll);
}

void rfs_poll_ignores(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long mask;

	/* rfsup has let the call wait only if a signal matters, so the timeout was zero */
	if (thread->call->row->enter == rfs_sys_poll && rfs_poll_is_interrupted(thread) &&
	    !rfs_signal_waits(run, thread, &mask))
		rfs_task_regs_mut(thread->task)->rax = 0;
}
