/*
 * pthread_cond.c - condition variables, carried out by rfsup.
 *
 * Which waiter a signal wakes is the policy's choice. There are no spurious wake-ups, except as faults: such a waiter
 * may wake as soon as the mutex is free, and until then a signal can take it. The target's pthread_cond_t does not
 * change.
 *
 *    pthread_cond_wait(c, m)            what the thread executes
 *    ------------------------           -----------------------------------------------------------
 *    COND_WAIT is picked                pthread_mutex_unlock(m), which returns to trampoline 0
 *    (parked: COND_WAKE)
 *    signalled, m is free, picked       pthread_mutex_lock(m), which returns to the caller;
 *                                       to trampoline 1 if the wait timed out or was cancelled
 *
 * A cancelled waiter takes the mutex and then calls pthread_testcancel(), which unwinds from the caller's frame, as
 * the standard requires. If other processes may use a condition variable, calls on it run natively.
 */
#include "supervisor/sync/pthread_cond.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/model/cond.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/lock.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/misuse.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/futex.h"
#include "supervisor/sync/hold_stack.h"
#include "supervisor/sync/result_used.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"
#include "tracer/trampoline.h"

enum { TRAMPOLINE_RELEASED, TRAMPOLINE_REACQUIRED };

/*
 * Makes the thread execute function(argument) next, in an empty call frame. The function returns to `back`. push:
 * pushes `back` onto the stack as the return address; otherwise `back` replaces the return address at the top of the
 * stack.
 */
static bool redirect(struct rfs_run *run, struct rfs_thread *thread, rfs_addr function, rfs_addr argument,
		     rfs_addr back, bool push)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);

	if (push)
		regs->rsp -= 8;
	if (!rfs_poke(run, regs->rsp, &back, sizeof(back)))
		return false;
	regs->rdi = rfs_memory_address(argument);
	rfs_task_jump(thread->task, function);
	return true;
}

/*
 * The waiter receives the message of the signal that woke it. When all waiters that this signal woke have received the
 * message, it is forgotten.
 */
static void pthread_cond_receive(struct rfs_run *run, struct rfs_thread *thread)
{
	uint64_t message = thread->sync.cond.message;

	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, message);
	if (rfs_cond_message_is_last(&run->sync, &thread->sync, message))
		rfs_emit_kind(run, thread, RFS_EVENT_FORGET, message);
}

static enum rfs_then pthread_cond_go_wake(struct rfs_run *run, struct rfs_thread *thread,
					  const struct rfs_choice *choice)
{
	struct rfs_cond_call *call = &thread->cond_call;
	struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_lock_state state;
	bool plain;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	call->timed_out = choice->outcome == RFS_OUTCOME_TIMED_OUT;
	call->cancelled = !thread->sync.cond.signalled && !call->timed_out && rfs_sync_cancelled(&thread->sync);
	if (call->cancelled)
		thread->sync.cancel_pending = false;
	if (thread->sync.cond.signalled)
		pthread_cond_receive(run, thread);
	if (rfs_lock_look(&memory, thread->tid, RFS_LOCK_MUTEX, call->mutex, &state) && state.acquires) {
		rfs_acquired(run, thread, call->mutex, RFS_OP_LOCK, 0);
		if (!state.shared && !state.robust)
			rfs_sync_own(&thread->sync, call->mutex);
		rfs_keep_hold_stack(run, thread);
	}
	thread->sync.cond.active = false;
	plain = !call->timed_out && !call->cancelled;
	if (!redirect(run, thread, run->pthread->lock, call->mutex,
		      plain ? call->back : rfs_space_trampoline(thread->task, TRAMPOLINE_REACQUIRED), true)) {
		rfs_run_uncontrolled(run, "cannot write to the stack of waiting thread %d", thread->number);
		return RFS_THEN_END;
	}
	return RFS_THEN_EXECUTE;
}

static enum rfs_then park_wake(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_op op =
		rfs_op_make(RFS_OP_COND_WAKE, rfs_site_of(run, thread->cond_call.back), thread->cond_call.cond);

	op.object2 = thread->cond_call.mutex;
	thread->deadline = thread->cond_call.deadline;
	return rfs_park_until(run, thread, op, (struct rfs_wait){.kind = RFS_WAIT_COND}, pthread_cond_go_wake);
}

enum rfs_then rfs_cond_trampoline(struct rfs_run *run, struct rfs_thread *thread, int index)
{
	struct rfs_cond_call *call = &thread->cond_call;
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);

	if (index == TRAMPOLINE_RELEASED && thread->sync.cond.active) {
		/*
		 * When the thread comes here for the first time, rax is the result of the unlock. The thread may come
		 * here again after a signal handler.
		 */
		if (!call->released && regs->rax != 0) {
			thread->sync.cond.active = false;
			regs->rip = call->back;
			return RFS_THEN_EXECUTE;
		}
		call->released = true;
		return park_wake(run, thread);
	}
	if (call->cancelled && run->pthread && run->pthread->testcancel && regs->rax == 0) {
		regs->rax = 0;
		if (redirect(run, thread, run->pthread->testcancel, 0, call->back, true)) {
			return RFS_THEN_EXECUTE;
		}
	}
	if (call->timed_out && regs->rax == 0)
		regs->rax = ETIMEDOUT;
	regs->rip = call->back;
	return RFS_THEN_EXECUTE;
}

/* Whether a process that rfsup does not control may use the condition variable. */
static bool is_used_elsewhere(const struct rfs_run *run, rfs_addr cond, unsigned wrefs)
{
	return (wrefs & RFS_COND_SHARED) && rfs_futex_is_shared(run, cond);
}

/* The C library has taken the mutex again. */
static void native_wait_returned(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
				 uint64_t value)
{
	(void)value;
	rfs_acquired(run, thread, call->arg, RFS_OP_LOCK, 0);
}

/* The C library carries the wait out. The mutex is free until it returns. */
static enum rfs_then go_native_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	const rfs_addr mutex = thread->next.object2;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_sync_holds(&thread->sync, mutex)) {
		rfs_released(run, thread, mutex);
		rfs_call_on_return(run, thread, native_wait_returned, mutex);
	}
	return RFS_THEN_EXECUTE;
}

/* The fault that the wait will have: it may end without a signal, or times out later. */
static void begin_fault(struct rfs_run *run, struct rfs_thread *thread)
{
	enum rfs_fault fault;

	if (rfs_fault_of(thread->next.access, &fault) && fault == RFS_FAULT_LATE) {
		thread->cond_call.deadline += RFS_FAULT_LATE_NANOS;
		rfs_fault_happened(run, thread, "the condition wait", RFS_FAULT_ENDED_LATE);
		return;
	}
	thread->sync.cond.spurious = true;
	rfs_fault_happened(run, thread, "the condition wait", "ended without a signal");
}

static enum rfs_then pthread_cond_go_wait(struct rfs_run *run, struct rfs_thread *thread,
					  const struct rfs_choice *choice)
{
	struct rfs_cond_call *call = &thread->cond_call;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_sync_cancelled(&thread->sync))
		return RFS_THEN_EXECUTE; /* the C library's function runs, and acts on the cancellation at once */
	/* also if the mutex checks for errors and the program reads the result: no program asks for that by a wait */
	rfs_misuse_wait(run, thread, call->cond, call->mutex);
	rfs_cond_sleep(&run->sync, &thread->sync, call->cond, call->mutex);
	if (choice->outcome == RFS_OUTCOME_FAULT)
		begin_fault(run, thread);
	rfs_released(run, thread, call->mutex);
	if (!redirect(run, thread, run->pthread->unlock, call->mutex,
		      rfs_space_trampoline(thread->task, TRAMPOLINE_RELEASED), false)) {
		rfs_run_uncontrolled(run, "cannot write to the stack of thread %d", thread->number);
		return RFS_THEN_END;
	}
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_cond_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const rfs_addr cond = rfs_call_object(run, thread, 0), mutex = rfs_call_object(run, thread, 1);
	rfs_addr back = rfs_call_back(run, thread);
	struct rfs_op op = rfs_op_make(RFS_OP_COND_WAIT, rfs_site_of(run, back), cond);
	uint64_t deadline = RFS_NEVER;
	unsigned wrefs = 0;

	if (rfs_peek(run, cond + RFS_COND_WREFS, &wrefs, sizeof(wrefs)) && is_used_elsewhere(run, cond, wrefs)) {
		op.object2 = mutex;
		return rfs_park(run, thread, op, rfs_ready_always, go_native_wait);
	}
	if (!rfs_peek(run, cond + RFS_COND_WREFS, &wrefs, sizeof(wrefs)) || !run->pthread || !run->pthread->lock ||
	    !run->pthread->unlock || !rfs_space_trampoline(thread->task, TRAMPOLINE_RELEASED)) {
		return rfs_park(run, thread, op, rfs_ready_always, rfs_go_on);
	}
	/* The time is invalid, so the C library's function runs and returns EINVAL. */
	if ((call->param == 1 &&
	     !rfs_deadline_from(run, regs->rdx, wrefs & RFS_COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME,
				&deadline)) ||
	    (call->param == 2 && !rfs_deadline_from(run, regs->rcx, (int)regs->rdx, &deadline))) {
		if (!rfs_result_used(run, back))
			rfs_misuse_error(run, thread, cond, EINVAL);
		return rfs_park(run, thread, op, rfs_ready_always, rfs_go_on);
	}
	thread->sync.cond.active = false;
	thread->cond_call = (struct rfs_cond_call){
		.cond = cond, .mutex = mutex, .function = regs->rip, .back = back, .deadline = deadline};
	op.object2 = mutex;
	op.access = rfs_fault_offer_any(
		run, thread, 1u << RFS_FAULT_WAKEUP | (deadline == RFS_NEVER ? 0 : 1u << RFS_FAULT_LATE), back);
	return rfs_park(run, thread, op, rfs_ready_always, pthread_cond_go_wait);
}

static enum rfs_then pthread_cond_go_signal(struct rfs_run *run, struct rfs_thread *thread,
					    const struct rfs_choice *choice)
{
	uint64_t message = rfs_message(RFS_MESSAGE_SIGNAL, run->sync.next_message++);
	rfs_addr cond = thread->next.object;
	bool woken;

	rfs_misuse_signal(run, thread, cond, 0);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (thread->next.kind == RFS_OP_COND_BROADCAST)
		woken = rfs_cond_broadcast(&run->sync, cond, message) > 0;
	else
		woken = rfs_cond_signal(&run->sync, cond, choice->waiter, message);
	if (woken)
		rfs_emit_kind(run, thread, RFS_EVENT_SEND, message);
	return rfs_call_answer(run, thread, 0);
}

/*
 * The C library signals waiters of other processes. A thread that began to wait before the program made its first
 * process is known to the model alone.
 */
static enum rfs_then go_native_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	const bool all = thread->next.kind == RFS_OP_COND_BROADCAST;
	const rfs_addr cond = thread->next.object;
	const uint64_t message = rfs_message(RFS_MESSAGE_SIGNAL, run->sync.next_message++);
	bool woken;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	woken = all ? rfs_cond_broadcast(&run->sync, cond, message) > 0
		    : rfs_cond_signal(&run->sync, cond, choice->waiter, message);
	if (woken)
		rfs_emit_kind(run, thread, RFS_EVENT_SEND, message);
	return woken && !all ? rfs_call_answer(run, thread, 0) : RFS_THEN_EXECUTE;
}

void rfs_cond_executed(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, rfs_addr cond,
		       rfs_site site)
{
	rfs_misuse_signal(run, thread, cond, site);
	run->sync.next_message++; /* each signal has a number, although nobody receives this one */
	thread->next = rfs_op_make(kind, site, cond);
	rfs_executed(run, thread, &thread->next, RFS_OUTCOME_DONE);
}

bool rfs_cond_is_waited_for(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *thread = run->threads[i];

		if (thread->state != RFS_STATE_ENDED && thread->sync.cond.active && !thread->sync.cond.signalled)
			return true;
	}
	return false;
}

enum rfs_then rfs_enter_cond_signal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr cond = rfs_call_object(run, thread, 0);
	struct rfs_op op =
		rfs_op_make((enum rfs_op_kind)call->param, rfs_site_of(run, rfs_call_back(run, thread)), cond);
	unsigned wrefs = 0;

	if (!rfs_peek(run, cond + RFS_COND_WREFS, &wrefs, sizeof(wrefs)))
		return rfs_park(run, thread, op, rfs_ready_always, rfs_go_on);
	return rfs_park(run, thread, op, rfs_ready_always,
			is_used_elsewhere(run, cond, wrefs) ? go_native_signal : pthread_cond_go_signal);
}
