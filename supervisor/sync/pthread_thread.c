/* pthread_thread.c - creating, joining and cancelling threads. */
#include "supervisor/sync/pthread_thread.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/model/layout.h"
#include "supervisor/model/sync.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/misuse.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/result_used.h"
#include "tracer/tracer.h"

/*
 * Every std::thread begins in one function of libstdc++, whose argument is a std::thread::_State. The virtual table of
 * that object has two destructors, and at this index the function that calls what the program passed to std::thread.
 */
#define STATE_RUN 2

/* The address at which the program's own code begins in a thread that starts with routine(arg). */
static rfs_addr start_routine(struct rfs_run *run, rfs_addr routine, rfs_addr arg)
{
	rfs_addr table, own;

	if (rfs_is_cxx_library(rfs_info_at(run, routine)) && rfs_peek(run, arg, &table, sizeof(table)) &&
	    rfs_peek(run, table + STATE_RUN * sizeof(own), &own, sizeof(own)) && rfs_info_at(run, own))
		return own;
	return routine;
}

static enum rfs_then pthread_thread_go_create(struct rfs_run *run, struct rfs_thread *thread,
					      const struct rfs_choice *choice)
{
	const struct rfs_call *call = (const struct rfs_call *)thread->args[0];

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome != RFS_OUTCOME_FAULT)
		return RFS_THEN_EXECUTE;
	if (call->param == 0 && !rfs_result_used(run, rfs_call_back(run, thread)))
		rfs_misuse_error(run, thread, 0, EAGAIN);
	rfs_fault_happened(run, thread, call->name, call->param == 1 ? "returned thrd_error" : "returned EAGAIN");
	return rfs_call_answer(run, thread, call->param == 1 ? thrd_error : EAGAIN);
}

/* call->param: 0 pthread_create(thread, attributes, routine, arg), 1 thrd_create(thread, routine, arg). */
enum rfs_then rfs_enter_create(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const rfs_addr back = rfs_call_back(run, thread);
	unsigned flags = 0;
	struct rfs_op op;

	if (call->param == 1)
		thread->creates.routine = start_routine(run, regs->rsi, regs->rdx);
	else
		thread->creates.routine = start_routine(run, regs->rdx, regs->rcx);
	op = rfs_op_make(RFS_OP_CREATE, rfs_site_of(run, back), 0);
	if (call->param == 0 && regs->rsi)
		rfs_peek(run, regs->rsi + RFS_ATTR_FLAGS, &flags, sizeof(flags));
	thread->creates.own_stack = !(flags & RFS_ATTR_STACK_GIVEN);
	thread->creates.joining.detached = flags & RFS_ATTR_DETACHED;
	thread->creates.joining.created_at = flags & RFS_ATTR_DETACHED ? 0 : op.site;
	op.access = rfs_fault_offer(run, thread, RFS_FAULT_THREAD, back);
	thread->args[0] = (unsigned long)call;
	return rfs_park(run, thread, op, rfs_ready_always, pthread_thread_go_create);
}

static enum rfs_then go_join(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT) {
		return rfs_call_answer(run, thread, ETIMEDOUT);
	}
	if (run->threads[thread->next.peer]->state == RFS_STATE_ENDED) {
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE,
			      rfs_message(RFS_MESSAGE_EXIT, (uint64_t)thread->next.peer));
		run->threads[thread->next.peer]->start.joining.joined = true;
	}
	return RFS_THEN_EXECUTE;
}

/* pthread_tryjoin_np() returns at once. The thread has joined its peer if the peer has ended. */
static enum rfs_then go_try_join(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	int peer = thread->next.peer;
	bool ended = run->threads[peer]->state == RFS_STATE_ENDED;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (ended)
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_EXIT, (uint64_t)peer));
	else
		thread->yielded = true;
	run->threads[peer]->start.joining.joined = ended;
	return RFS_THEN_EXECUTE;
}

/* call->param: 0 join, 1 try, 2 timed, 3 timed by a given clock. */
enum rfs_then rfs_enter_join(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	struct rfs_thread *peer = rfs_thread_by_tls(run, rfs_call_object(run, thread, 0));
	struct rfs_op op = rfs_op_make(RFS_OP_JOIN, rfs_site_of(run, rfs_call_back(run, thread)), 0);
	struct rfs_wait join = {.kind = RFS_WAIT_JOIN};
	bool valid = true;

	if (call->param == 2)
		valid = rfs_deadline_from(run, regs->rdx, CLOCK_REALTIME, &thread->deadline);
	else if (call->param == 3)
		valid = rfs_deadline_from(run, regs->rcx, (int)regs->rdx, &thread->deadline);
	rfs_misuse_join(run, thread, peer);
	op.peer = peer ? peer->number : -1;
	join.peer = peer ? (size_t)peer->number : 0;
	op.access = call->param == 1 || !valid ? RFS_ACCESS_READ : 0;
	/*
	 * The call returns at once, because the peer is unknown or the thread itself, or because the time is invalid.
	 */
	if (!peer || peer == thread || !valid)
		return rfs_park(run, thread, op, rfs_ready_always, rfs_go_on);
	else if (call->param == 1)
		return rfs_park(run, thread, op, rfs_ready_always, go_try_join);
	else
		return rfs_park_until(run, thread, op, join, go_join);
}

/* The call is not an operation. */
enum rfs_then rfs_enter_detach(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	struct rfs_thread *peer = rfs_thread_by_tls(run, rfs_call_object(run, thread, 0));

	(void)call;
	rfs_misuse_detach(run, thread, peer);
	if (peer)
		peer->start.joining.detached = true;
	return RFS_THEN_EXECUTE;
}

static enum rfs_then go_cancel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (thread->next.peer >= 0)
		run->threads[thread->next.peer]->sync.cancel_pending = true;
	run->signals = true; /* pthread_cancel() may send SIGCANCEL */
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_cancel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	struct rfs_thread *peer = rfs_thread_by_tls(run, rfs_call_object(run, thread, 0));
	struct rfs_op op = rfs_op_make(RFS_OP_KILL, rfs_site_of(run, rfs_call_back(run, thread)), 0);

	(void)call;
	op.peer = peer ? peer->number : -1;
	return rfs_park(run, thread, op, rfs_ready_always, go_cancel);
}

/*
 * The thread ends, because it was cancelled or has called pthread_exit(). Its cleanup handlers run, and are not
 * cancelled again (__do_cancel() of glibc).
 */
enum rfs_then rfs_enter_thread_unwind(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)run;
	(void)call;
	thread->sync.cancel_pending = false;
	thread->sync.cancel_disabled = true;
	rfs_call_frames_left(thread);
	return RFS_THEN_EXECUTE;
}

/* Stores whether the thread can be cancelled. The call is not an operation. */
enum rfs_then rfs_enter_cancel_state(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	int state = (int)rfs_task_regs(thread->task)->rdi;

	(void)run;
	(void)call;
	if (state == PTHREAD_CANCEL_ENABLE || state == PTHREAD_CANCEL_DISABLE)
		thread->sync.cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
	return RFS_THEN_EXECUTE;
}
