/* signals.c - which signals have an effect on the target, and which are pending for one of its threads. */
#include "supervisor/kernel/signals/signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/process.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/state/core/message.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/signal_mask.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "tracer/tracer.h"

#define SIGNALS 65
/* Those that an instruction causes, and the two that the C library sends. */
#define AT_ONE_PLACE                                                                                                   \
	(1ul << (SIGSEGV - 1) | 1ul << (SIGBUS - 1) | 1ul << (SIGFPE - 1) | 1ul << (SIGILL - 1) |                      \
	 1ul << (SIGTRAP - 1) | 1ul << (SIGABRT - 1) | 1ul << (SIGSYS - 1) | 3ul << (__SIGRTMIN - 1))

struct rfs_signals {
	uint64_t handler[SIGNALS]; /* the handler for each signal number; 0: default, 1: ignored */
	unsigned long flags[SIGNALS];
	unsigned long masks[SIGNALS]; /* signals that are blocked while the handler runs */
	uint64_t segv_action[4];      /* the whole action of SIGSEGV */
	bool descriptors;	      /* the target has made a signalfd */
	bool catches;		      /* a signal that may come at any time had a handler */
	uint64_t *restart;	      /* of process 1, 2, ... (family.h): bit signo - 1: the handler has SA_RESTART */
	unsigned n_restart;
};

void rfs_signals_init(struct rfs_run *run)
{
	run->kernel->signals = xcalloc(1, sizeof(*run->kernel->signals));
}

void rfs_signals_release(struct rfs_run *run)
{
	free(run->kernel->signals->restart);
	free(run->kernel->signals);
}

void rfs_signals_copy(const struct rfs_run *from, struct rfs_run *to)
{
	const struct rfs_signals *signals = from->kernel->signals;

	memcpy(to->kernel->signals->handler, signals->handler, sizeof(signals->handler));
	memcpy(to->kernel->signals->flags, signals->flags, sizeof(signals->flags));
	memcpy(to->kernel->signals->masks, signals->masks, sizeof(signals->masks));
	to->kernel->signals->catches = signals->catches;
	memcpy(to->kernel->signals->segv_action, signals->segv_action, sizeof(signals->segv_action));
}

void rfs_signals_exec(struct rfs_run *run)
{
	struct rfs_signals *signals = run->kernel->signals;

	for (size_t signo = 0; signo < SIGNALS; signo++)
		if (signals->handler[signo] > (uint64_t)(uintptr_t)SIG_IGN)
			signals->handler[signo] = signals->flags[signo] = 0;
	if (signals->segv_action[0] > (uint64_t)(uintptr_t)SIG_IGN)
		memset(signals->segv_action, 0, sizeof(signals->segv_action));
}

void rfs_signal_set_action(struct rfs_run *run, unsigned long signo, const uint64_t action[4])
{
	struct rfs_signals *signals = run->kernel->signals;

	if (signo >= SIGNALS)
		return;
	signals->catches |= action[0] > 1 && !(AT_ONE_PLACE >> (signo - 1) & 1);
	signals->handler[signo] = action[0];
	signals->flags[signo] = action[1];
	signals->masks[signo] = action[3];
	if (signo == SIGSEGV)
		memcpy(signals->segv_action, action, sizeof(signals->segv_action));
}

const uint64_t *rfs_signal_segv_action(const struct rfs_run *run)
{
	const uint64_t *action = run->kernel->signals->segv_action;

	return action[0] ? action : NULL;
}

bool rfs_signal_restarts(const struct rfs_run *run, const struct rfs_thread *thread, int signo)
{
	const struct rfs_signals *signals = run->kernel->signals;

	if (!signo)
		return false;
	if (!thread->process && rfs_signal_is_default(run, signo))
		return signo == SIGSTOP || signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;
	return thread->process ? signals->restart[thread->process - 1] >> (signo - 1) & 1
			       : signals->flags[signo] & SA_RESTART;
}

void rfs_signal_family_born(struct rfs_run *run, const struct rfs_thread *parent, const struct rfs_thread *thread)
{
	struct rfs_signals *signals = run->kernel->signals;
	uint64_t restart = 0;

	for (int signo = 1; signo < SIGNALS; signo++)
		if (rfs_signal_restarts(run, parent, signo))
			restart |= 1ull << (signo - 1);
	signals->restart = xreallocarray(signals->restart, thread->process, sizeof(*signals->restart));
	for (; signals->n_restart < thread->process; signals->n_restart++)
		signals->restart[signals->n_restart] = restart;
}

void rfs_signal_family_action(struct rfs_run *run, const struct rfs_thread *thread, const unsigned long *args)
{
	uint64_t *restart = &run->kernel->signals->restart[thread->process - 1];
	uint64_t action[2], bit;

	if (!args[1] || args[0] - 1 >= SIGNALS - 1 || !rfs_peek(run, args[1], action, sizeof(action)))
		return;
	bit = 1ull << (args[0] - 1);
	*restart = action[1] & SA_RESTART ? *restart | bit : *restart & ~bit;
}

bool rfs_signal_interrupts(const struct rfs_run *run, unsigned long blocked)
{
	const struct rfs_signals *signals = run->kernel->signals;

	for (int signo = 1; signo < SIGNALS; signo++)
		if (signals->handler[signo] > 1 && !(signals->flags[signo] & SA_RESTART) &&
		    !((blocked | AT_ONE_PLACE) >> (signo - 1) & 1))
			return true;
	return false;
}

bool rfs_signal_has_handler(const struct rfs_run *run, int signo)
{
	return run->kernel->signals->handler[signo] > (uint64_t)(uintptr_t)SIG_IGN;
}

uint64_t rfs_signal_handler(const struct rfs_run *run, int signo)
{
	return run->kernel->signals->handler[signo];
}

void rfs_signal_handled(struct rfs_run *run, int signo)
{
	struct rfs_signals *signals = run->kernel->signals;

	if (rfs_signal_has_handler(run, signo) && (signals->flags[signo] & SA_RESETHAND))
		signals->handler[signo] = (uint64_t)(uintptr_t)SIG_DFL;
}

void rfs_signal_armed(struct rfs_run *run, struct rfs_thread *thread, int signo, bool comes)
{
	if (!rfs_signal_has_handler(run, signo))
		return;
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_HANDLED, (uint64_t)signo));
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_ARMED, (uint64_t)signo));
	if (comes && run->main_reached)
		run->armed |= 1ull << (signo - 1);
}

unsigned long rfs_signal_handler_mask(const struct rfs_run *run, int signo)
{
	const struct rfs_signals *signals = run->kernel->signals;

	return signals->masks[signo] | (signals->flags[signo] & SA_NODEFER ? 0 : 1ul << (signo - 1));
}

void rfs_signal_blocks(struct rfs_run *run, struct rfs_thread *by, unsigned long before, unsigned long after)
{
	const struct rfs_thread *on = by;

	while (on->handler.on)
		on = on->handler.on;
	for (int signo = 1; signo < SIGNALS && run->stream; signo++) {
		const unsigned long bit = 1ul << (signo - 1);
		struct rfs_event event = {.thread = by->number};

		if (!((before ^ after) & bit) || !rfs_signal_has_handler(run, signo))
			continue;
		event.kind = after & bit ? RFS_EVENT_ACQUIRE : RFS_EVENT_RELEASE;
		event.op = rfs_op_make(RFS_OP_LOCK, 0, rfs_signal_mask_lock(on->number, signo));
		rfs_stream_event(run->stream, &event);
	}
}

void rfs_signal_handler_appears(struct rfs_run *run, const struct rfs_thread *thread, int signo, bool appears)
{
	struct rfs_event event = {.thread = thread->number};

	event.kind = appears ? RFS_EVENT_ACQUIRE : RFS_EVENT_RELEASE;
	event.op = rfs_op_make(RFS_OP_LOCK, 0, rfs_signal_mask_lock(thread->number, signo));
	rfs_stream_event(run->stream, &event);
}

bool rfs_signal_is_caught(const struct rfs_run *run)
{
	return run->kernel->signals->catches;
}

bool rfs_signal_is_default(const struct rfs_run *run, int signo)
{
	return run->kernel->signals->handler[signo] == (uint64_t)(uintptr_t)SIG_DFL;
}

bool rfs_signal_is_ignored(const struct rfs_run *run, int signo)
{
	if (!rfs_signal_is_default(run, signo))
		return run->kernel->signals->handler[signo] == (uint64_t)(uintptr_t)SIG_IGN;
	return signo == SIGCHLD || signo == SIGCONT || signo == SIGURG || signo == SIGWINCH;
}

static unsigned long heeded(const struct rfs_run *run, unsigned long pending)
{
	unsigned long mask = 0;

	for (int signo = 1; signo <= 64; signo++)
		if ((pending >> (signo - 1) & 1) && !rfs_signal_is_ignored(run, signo))
			mask |= 1ul << (signo - 1);
	return mask;
}

static unsigned long set_of(const struct rfs_thread *thread, const char *name)
{
	uint64_t set;

	return rfs_process_signals(rfs_task_tid(thread->task), name, &set) ? set : 0;
}

static unsigned long heeded_by(const struct rfs_thread *thread, unsigned long pending)
{
	const unsigned long idle =
		1ul << (SIGCHLD - 1) | 1ul << (SIGCONT - 1) | 1ul << (SIGURG - 1) | 1ul << (SIGWINCH - 1);

	if (!pending)
		return 0;
	pending &= ~set_of(thread, "SigIgn:");
	return pending & idle ? pending & (~idle | set_of(thread, "SigCgt:")) : pending;
}

bool rfs_signal_is_ignored_by(const struct rfs_thread *thread, int signo)
{
	return !heeded_by(thread, 1ul << (signo - 1));
}

bool rfs_signal_matters(const struct rfs_run *run, const struct rfs_thread *thread, unsigned long mask)
{
	return (thread->process ? heeded_by(thread, mask) : heeded(run, mask)) != 0;
}

/*
 * For a traced task, the kernel queues even signals that the task ignores. Ignored signals interrupt nothing, so they
 * are left out.
 */
bool rfs_signal_waits(struct rfs_run *run, struct rfs_thread *thread, unsigned long *mask)
{
	unsigned long pending = 0;

	*mask = 0;
	if (rfs_task_pending_signals(thread->task, &pending) != 0)
		return false;
	*mask = thread->process ? heeded_by(thread, pending) : heeded(run, pending);
	return *mask != 0;
}

void rfs_signal_descriptor_made(struct rfs_run *run)
{
	run->kernel->signals->descriptors = true;
}

bool rfs_signal_descriptors(const struct rfs_run *run)
{
	return run->kernel->signals->descriptors;
}
