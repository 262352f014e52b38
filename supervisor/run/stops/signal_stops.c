/* signal_stops.c - signals that reach controlled threads. */
#include "supervisor/run/stops/signal_stops.h"

#include <signal.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/signals/signal_calls.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

static enum rfs_then signal_stops_go(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	return RFS_THEN_DELIVER;
}

/*
 * A parked thread with a pending signal runs the signal's handler before its operation. If the thread is parked at an
 * instruction, it is simply resumed. The kernel first delivers the signal, and after the handler the thread reaches the
 * breakpoint again. If the thread is parked in a system call that rfsup answers, the call is interrupted.
 */
enum rfs_then rfs_deliver_pending(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long mask;

	/* the signal that the thread already has comes first; the kernel delivers the other one after it */
	if (thread->go == signal_stops_go)
		return RFS_THEN_UNDECIDED;
	if (!rfs_signal_waits(run, thread, &mask)) {
		bool any = run->n_children > 0;

		for (size_t i = 0; i < run->n_threads && !any; i++)
			any = run->threads[i]->state == RFS_STATE_PARKED &&
			      rfs_signal_waits(run, run->threads[i], &mask);
		run->signals = any;
		run->kernel->quiet += !any;
		return RFS_THEN_UNDECIDED;
	}
	return rfs_go_interrupt(run, thread);
}

/*
 * Whether the signal could have come at another moment. The signal of an instruction or of a call of the thread itself
 * could not.
 */
static bool comes_at_any_time(const struct rfs_thread *thread, const siginfo_t *info, bool fault)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const uint64_t signo = (uint64_t)info->si_signo;

	if (fault || signo == SIGABRT || signo == SIGPIPE || signo == SIGSYS || signo == SIGTRAP ||
	    signo - __SIGRTMIN < 2)
		return false;
	switch ((long)regs->orig_rax) {
	case SYS_kill:
	case SYS_tkill:
	case SYS_rt_sigqueueinfo:
		return regs->rsi != signo;
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo:
		return regs->rdx != signo;
	default:
		return true;
	}
}

enum rfs_then rfs_signal_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	siginfo_t info = stop->info;
	const int signo = info.si_signo;
	bool fault;

	rfs_quarantine_signal(run, thread, &info);
	fault = info.si_code > 0 &&
		(signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE || signo == SIGTRAP);

	thread->handler.sent = !rfs_timers_signal(run, thread->task, &info);
	thread->handler.comes = comes_at_any_time(thread, &info, fault);
	if (!thread->handler.comes || !rfs_signal_has_handler(run, signo))
		rfs_signal_received(run, thread, signo);
	if (signo == SIGABRT)
		rfs_fault_aborts(run, thread);
	run->had_fault |= fault;
	if (fault || signo == SIGABRT)
		rfs_evidence_fault(run, thread, signo == SIGABRT); /* it may be the end; a later fault replaces this */
	if (run->running && run->running != thread) {
		/*
		 * The thread returned from the kernel while another thread runs, so the signal waits for this
		 * thread's turn.
		 */
		thread->pending_signo = signo;
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SYSCALL, 0, 0), rfs_ready_always, signal_stops_go);
	}
	/*
	 * Do not deliver an ignored signal. The kernel would discard it, but the thread would first return to the
	 * breakpoint that it was passing. If a signal such as SIGCHLD came at that time, the thread would execute the
	 * operation at the breakpoint twice.
	 */
	thread->pending_signo = !fault && rfs_signal_is_ignored(run, signo) ? 0 : signo;
	return RFS_THEN_DELIVER;
}
