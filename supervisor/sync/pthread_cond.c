/*
 * pthread_cond.c - condition variables, carried out by us: which waiter a signal takes is the policy's choice, and
 * spurious wake-ups are never invented. The C library's own state of the variable stays untouched.
 *
 *     pthread_cond_wait(c, m)            what the thread executes
 *     ------------------------           -----------------------------------------------
 *     COND_WAIT is picked                pthread_mutex_unlock(m), which returns to trampoline 0
 *     (parked: COND_WAKE)
 *     signalled, m is free, picked       pthread_mutex_lock(m), which returns to the caller; or, where something is
 * left to do (timed out, cancelled), to trampoline 1
 *
 * A cancelled waiter takes the mutex and then calls pthread_testcancel(), which unwinds from the caller's frame: what
 * the standard asks for. Condition variables shared between processes run natively.
 */
#include "supervisor/sync/pthread_cond.h"

#include <errno.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/call.h"
#include "supervisor/state/events.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"
#include "supervisor/sync/lock_model.h"
#include "supervisor/sync/pthread_calls.h"
#include "tracer/breakpoint.h"
#include "tracer/tracer.h"

/* pthread_cond_t: __wrefs at 36, its bit 0: shared between processes, bit 1: CLOCK_MONOTONIC. */
#define COND_WREFS_OFFSET 36
#define COND_SHARED 1u
#define COND_MONOTONIC 2u

enum { TRAMPOLINE_RELEASED, TRAMPOLINE_REACQUIRED };

/* Lets the thread execute function(argument) from where it stands with an empty call frame, coming back to `back`. */
static bool redirect(struct rfs_run *run, struct rfs_thread *thread, rfs_addr function, uint64_t argument,
		     rfs_addr back, bool push)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);

	if (push)
		regs->rsp -= 8;
	if (!rfs_poke(run, regs->rsp, &back, sizeof(back)))
		return false;
	regs->rdi = argument;
	rfs_task_jump(thread->task, function);
	return true;
}

static bool mutex_free(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_lock_state state;

	return !rfs_lock_look(run, thread, RFS_LOCK_MUTEX, thread->wait.mutex, &state) || state.returns;
}

static unsigned ready_wake(struct rfs_run *run, struct rfs_thread *thread)
{
	bool woken = thread->wait.signalled || (thread->cancel_pending && !thread->cancel_disabled);

	if (!mutex_free(run, thread))
		return 0;
	return rfs_ready_timed(run, woken, woken ? RFS_NEVER : thread->deadline);
}

/* A signal's message goes to all that it woke; to nobody after the last of them. */
static void receive(struct rfs_run *run, struct rfs_thread *thread)
{
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, thread->wait.message);
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && t->wait.active && t->wait.signalled && t->wait.message == thread->wait.message)
			return;
	}
	rfs_emit_kind(run, thread, RFS_EVENT_FORGET, thread->wait.message);
}

static void go_wake(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_cond_wait *wait = &thread->wait;
	struct rfs_lock_state state;
	bool plain;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	wait->timed_out = choice->outcome == RFS_OUTCOME_TIMED_OUT;
	wait->cancelled = !wait->signalled && !wait->timed_out;
	if (wait->cancelled)
		thread->cancel_pending = false;
	if (wait->signalled)
		receive(run, thread);
	if (rfs_lock_look(run, thread, RFS_LOCK_MUTEX, wait->mutex, &state) && state.acquires)
		rfs_acquired(run, thread, wait->mutex, RFS_OP_LOCK);
	wait->active = false;
	plain = !wait->timed_out && !wait->cancelled;
	if (!redirect(run, thread, run->fn_lock, wait->mutex,
		      plain ? wait->back : rfs_space_trampoline(thread->task, TRAMPOLINE_REACQUIRED), true)) {
		rfs_run_uncontrolled(run, "cannot write to the stack of waiting thread %d", thread->number);
		return;
	}
	rfs_proceed(run, thread);
}

static void park_wake(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_op op = rfs_op_make(RFS_OP_COND_WAKE, rfs_site_of(run, thread->wait.back), thread->wait.cond);

	op.object2 = thread->wait.mutex;
	thread->deadline = thread->wait.deadline;
	rfs_park(run, thread, op, ready_wake, go_wake);
}

void rfs_cond_trampoline(struct rfs_run *run, struct rfs_thread *thread, int index)
{
	struct rfs_cond_wait *wait = &thread->wait;
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);

	if (index == TRAMPOLINE_RELEASED && wait->active) {
		/* The first time rax is the unlock's result; after a handler ran we are here again, released already.
		 */
		if (!wait->released && regs->rax != 0) {
			wait->active = false;
			regs->rip = wait->back;
			rfs_proceed(run, thread);
			return;
		}
		wait->released = true;
		park_wake(run, thread);
		return;
	}
	if (wait->cancelled && run->fn_testcancel && regs->rax == 0) {
		regs->rax = 0;
		if (redirect(run, thread, run->fn_testcancel, 0, wait->back, true)) {
			rfs_proceed(run, thread);
			return;
		}
	}
	if (wait->timed_out && regs->rax == 0)
		regs->rax = ETIMEDOUT;
	regs->rip = wait->back;
	rfs_proceed(run, thread);
}

static void go_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_cond_wait *wait = &thread->wait;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (thread->cancel_pending && !thread->cancel_disabled) {
		rfs_proceed(run, thread); /* the C library acts on it at once */
		return;
	}
	wait->active = true;
	wait->order = run->next_order++;
	rfs_released(run, thread, wait->mutex);
	if (!redirect(run, thread, run->fn_unlock, wait->mutex, rfs_space_trampoline(thread->task, TRAMPOLINE_RELEASED),
		      false)) {
		rfs_run_uncontrolled(run, "cannot write to the stack of thread %d", thread->number);
		return;
	}
	rfs_proceed(run, thread);
}

void rfs_enter_cond_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	rfs_addr back = rfs_call_back(run, thread);
	struct rfs_op op = rfs_op_make(RFS_OP_COND_WAIT, rfs_site_of(run, back), regs->rdi);
	uint64_t deadline = RFS_NEVER;
	unsigned wrefs = 0;

	if (!rfs_peek(run, regs->rdi + COND_WREFS_OFFSET, &wrefs, sizeof(wrefs)) || (wrefs & COND_SHARED) ||
	    !run->fn_lock || !run->fn_unlock || !rfs_space_trampoline(thread->task, TRAMPOLINE_RELEASED)) {
		rfs_park(run, thread, op, rfs_ready_always, rfs_go_proceed);
		return;
	}
	/* An invalid time: the C library answers EINVAL. */
	if ((call->param == 1 &&
	     !rfs_deadline_from(run, regs->rdx, wrefs & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME,
				&deadline)) ||
	    (call->param == 2 && !rfs_deadline_from(run, regs->rcx, (int)regs->rdx, &deadline))) {
		rfs_park(run, thread, op, rfs_ready_always, rfs_go_proceed);
		return;
	}
	thread->wait = (struct rfs_cond_wait){
		.cond = regs->rdi, .mutex = regs->rsi, .function = regs->rip, .back = back, .deadline = deadline};
	op.object2 = regs->rsi;
	rfs_park(run, thread, op, rfs_ready_always, go_wait);
}

static struct rfs_thread *longest_waiting(const struct rfs_run *run, rfs_addr cond)
{
	struct rfs_thread *first = NULL;

	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];

		if (t->wait.active && !t->wait.signalled && t->wait.cond == cond &&
		    (!first || t->wait.order < first->wait.order))
			first = t;
	}
	return first;
}

static void wake(struct rfs_thread *waiter, uint64_t message)
{
	waiter->wait.signalled = true;
	waiter->wait.message = message;
}

static void go_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	uint64_t message = rfs_message(RFS_MESSAGE_SIGNAL, run->next_message++);
	rfs_addr cond = thread->next.object;
	struct rfs_thread *waiter = NULL;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (longest_waiting(run, cond))
		rfs_emit_kind(run, thread, RFS_EVENT_SEND, message);
	if (thread->next.kind == RFS_OP_COND_BROADCAST) {
		while ((waiter = longest_waiting(run, cond)) != NULL)
			wake(waiter, message);
	} else {
		if (choice->waiter >= 0 && (size_t)choice->waiter < run->n_threads)
			waiter = run->threads[choice->waiter];
		if (!waiter || !waiter->wait.active || waiter->wait.signalled || waiter->wait.cond != cond)
			waiter = longest_waiting(run, cond);
		if (waiter)
			wake(waiter, message);
	}
	rfs_call_answer(run, thread, 0);
}

void rfs_enter_cond_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr cond = rfs_task_regs(thread->task)->rdi;
	struct rfs_op op =
		rfs_op_make((enum rfs_op_kind)call->param, rfs_site_of(run, rfs_call_back(run, thread)), cond);
	unsigned wrefs = 0;
	bool native = !rfs_peek(run, cond + COND_WREFS_OFFSET, &wrefs, sizeof(wrefs)) || (wrefs & COND_SHARED);

	rfs_park(run, thread, op, rfs_ready_always, native ? rfs_go_proceed : go_signal);
}
