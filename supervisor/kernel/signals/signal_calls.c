/* signal_calls.c - signals that threads of the target send, accept and wait for. */
#include "supervisor/kernel/signals/signal_calls.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "policy/policy.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/core/wait_arguments.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/translate.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "tracer/tracer.h"

/* True: the arguments are tgid, tid and signo, as in tgkill. False: they are pid or tid, and signo. */
static bool names_group(const struct rfs_thread *thread)
{
	return thread->call->row->ids & RFS_ID_ARG1;
}

void rfs_signal_note_kill(struct rfs_run *run, const struct rfs_syscall *row, const unsigned long *args)
{
	if ((row->enter == rfs_sys_kill || row->enter == rfs_sys_tkill) &&
	    args[row->ids & RFS_ID_ARG1 ? 2 : 1] == SIGKILL)
		run->kernel->kills = true;
}

bool rfs_signal_kills(const struct rfs_run *run)
{
	return run->kernel->kills;
}

static enum rfs_then go_kill(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	int signo = (int)thread->args[names_group(thread) ? 2 : 1];

	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_signal_note_kill(run, thread->call->row, thread->args);
	rfs_signal_sent(run, thread, thread->next.peer >= 0 ? run->threads[thread->next.peer] : NULL, signo);
	run->signals = true;
	return rfs_syscall_proceed(run, thread);
}

static enum rfs_then park_kill(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_thread *peer)
{
	struct rfs_op op = rfs_op_make(RFS_OP_KILL, thread->next.site, 0);

	if (peer)
		op.peer = peer->number;
	return rfs_park(run, thread, op, rfs_ready_always, go_kill);
}

enum rfs_then rfs_sys_kill(struct rfs_run *run, struct rfs_thread *thread)
{
	/* the process above the program is rfsup, which a signal must not reach */
	if (rfs_pids_is_outside((pid_t)thread->args[0]))
		return rfs_syscall_answer(thread, (unsigned long)thread->args[1] > 64 ? -EINVAL : 0);
	return park_kill(run, thread, NULL);
}

enum rfs_then rfs_sys_tkill(struct rfs_run *run, struct rfs_thread *thread)
{
	return park_kill(run, thread, rfs_thread_by_tid(run, (pid_t)thread->args[names_group(thread) ? 1 : 0]));
}

/* A signal gets its first handler, or none is left: threads may have blocked it before. */
static void handler_appears(struct rfs_run *run, int signo, bool appears)
{
	const unsigned long bit = 1ul << (signo - 1);

	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];
		unsigned long blocked;

		if (t->task && !t->handler.on && rfs_task_blocked_signals(t->task, &blocked) == 0 && (blocked & bit))
			rfs_signal_handler_appears(run, t, signo, appears);
	}
}

/* struct kernel_sigaction: handler, flags, restorer, mask. */
enum rfs_then rfs_sys_sigaction(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_thread *to = NULL;
	uint64_t action[4];
	bool had;

	if (!thread->args[1] || !rfs_peek(run, thread->args[1], action, sizeof(action)) || thread->args[0] - 1 > 63)
		return RFS_THEN_UNDECIDED;
	had = rfs_signal_has_handler(run, (int)thread->args[0]);
	rfs_signal_set_action(run, thread->args[0], action);
	if (run->stream && had != rfs_signal_has_handler(run, (int)thread->args[0]))
		handler_appears(run, (int)thread->args[0], !had);
	rfs_signal_armed(run, thread, (int)thread->args[0],
			 rfs_timers_due(run, (int)thread->args[0], &to) != RFS_NEVER);
	return RFS_THEN_UNDECIDED;
}

void rfs_signal_mask_note(struct rfs_run *run, struct rfs_thread *thread, long number, const unsigned long *args)
{
	unsigned long before, set, after;

	if (number != SYS_rt_sigprocmask || !run->stream || !args[1] ||
	    rfs_task_blocked_signals(thread->task, &before) != 0 || !rfs_peek(run, args[1], &set, sizeof(set)))
		return;
	after = args[0] == SIG_BLOCK ? before | set : args[0] == SIG_UNBLOCK ? before & ~set : set;
	if (thread->handler.on) {
		before = thread->handler.masks;
		thread->handler.masks = after;
	}
	rfs_signal_blocks(run, thread, before, after);
}

void rfs_signal_forked(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_thread *to = NULL;

	for (int signo = 1; signo < 65; signo++)
		if (rfs_timers_due(run, signo, &to) == RFS_NEVER)
			rfs_signal_armed(run, thread, signo, false);
}

enum rfs_then rfs_sys_signalfd(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)thread;
	rfs_signal_descriptor_made(run);
	return RFS_THEN_UNDECIDED;
}

/* Whether the signal stops the program, as SIGSTOP does. No handler runs, so all calls go on when it continues. */
static bool stops(const struct rfs_run *run, const struct rfs_thread *thread, int signo)
{
	return !thread->process && signo && rfs_signal_is_default(run, signo) &&
	       rfs_signal_restarts(run, thread, signo);
}

/*
 * A signal may end sem_wait(), which then fails with EINTR. The thread is parked at the entry of the function. It comes
 * there again after the handler, and the handler of sem_wait() looks at `interrupted`.
 */
static void interrupt_semaphore(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long mask = 0;
	int signo;

	if (thread->next.kind != RFS_OP_SEM_WAIT || (thread->ready(run, thread) & RFS_THREAD_ENABLED) ||
	    !rfs_signal_waits(run, thread, &mask))
		return;
	signo = __builtin_ctzl(mask) + 1;
	if (stops(run, thread, signo) || (thread->deadline == RFS_NEVER && rfs_signal_restarts(run, thread, signo)))
		return; /* the C library waits again; with a timeout it never does: signal(7) */
	thread->interrupted = rfs_task_regs(thread->task)->rsp;
}

/*
 * A handler runs while the thread waits at a barrier. The thread is parked at the entry of the function and comes there
 * again after the handler, but it has arrived already.
 */
static void interrupt_barrier(struct rfs_thread *thread)
{
	if (thread->next.kind != RFS_OP_BARRIER_LEAVE || thread->sync.wait.kind != RFS_WAIT_BARRIER)
		return;
	thread->sync.arrived = thread->sync.wait;
	thread->sync.arrived_stack = rfs_task_regs(thread->task)->rsp;
}

enum rfs_then rfs_go_interrupt(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_op op = rfs_op_make(RFS_OP_KILL, thread->next.site, 0);
	unsigned long mask = 0;
	bool restart;
	int signo;

	op.peer = thread->number;
	thread->handler.stood = thread->next.kind != RFS_OP_ACCESS;
	interrupt_semaphore(run, thread);
	interrupt_barrier(thread);
	rfs_executed(run, thread, &op, RFS_OUTCOME_DONE);
	rfs_access_drop(thread);
	if (!thread->at_syscall) {
		return RFS_THEN_EXECUTE;
	}
	rfs_signal_waits(run, thread, &mask);
	signo = mask ? __builtin_ctzl(mask) + 1 : 0;
	restart = rfs_signal_restarts(run, thread, signo);
	switch (stops(run, thread, signo) ? RFS_OP_NONE : thread->next.kind) {
	case RFS_OP_SLEEP:
		restart = false;
		rfs_sleep_left(run, thread);
		break;
	case RFS_OP_FUTEX_SLEEP:
		if (thread->args[3] != 0)
			restart = false; /* a futex wait with a timeout is never restarted: signal(7) */
		break;
	case RFS_OP_SYSCALL:
		if (signo == SIGCHLD && (thread->syscall == SYS_wait4 || thread->syscall == SYS_waitid))
			restart = true; /* the child is there, so the call would have returned before the signal */
		else if (thread->next.statements)
			restart = true; /* it is under test (fd_calls.h) and has not begun */
		else if (thread->call->retry)
			restart = false; /* poll and similar calls are never restarted: signal(7) */
		if (!restart)
			rfs_poll_left(run, thread);
		break;
	default:
		restart = true; /* signals do not interrupt this call, so it is made again */
		break;
	}
	rfs_call_drop_fds(thread);
	if (restart)
		rfs_task_restart_syscall(thread->task);
	else
		rfs_task_answer_syscall(thread->task, -EINTR);
	return RFS_THEN_EXECUTE;
}

static unsigned ready_sigwait(struct rfs_run *run, struct rfs_thread *thread)
{
	unsigned long queued = 0, wanted = 0;
	bool there = false;

	if (rfs_peek(run, thread->args[0], &wanted, sizeof(wanted)))
		there = rfs_task_queued_signals(thread->task, &queued) == 0 && (queued & wanted);
	else
		there = true; /* the call fails at once */
	return rfs_timers_ready(run, there, there ? RFS_NEVER : thread->deadline, true);
}

static enum rfs_then go_sigwait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT)
		return rfs_syscall_answer(thread, -EAGAIN);
	(void)rfs_syscall_translate(run, thread->task, thread->call->row, thread->args);
	return RFS_THEN_STOP_AT_EXIT; /* the signal is there, so the call returns at once */
}

/* The call is enabled when one of its signals is pending. Its timeout is in virtual time. */
enum rfs_then rfs_sys_sigtimedwait(struct rfs_run *run, struct rfs_thread *thread)
{
	int error = 0;

	thread->deadline = RFS_NEVER;
	if (thread->args[2])
		error = rfs_deadline_after(run, thread->args[2], &thread->deadline);
	if (error) {
		return rfs_syscall_answer(thread, error);
	}
	thread->call->retry = true;
	return rfs_park(run, thread, thread->next, ready_sigwait, go_sigwait);
}

void rfs_sigtimedwait_returned(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	if (result > 0)
		rfs_signal_received(run, thread, (int)result);
}
