/*
 * pthread_sync.c - semaphores, barriers, pthread_once and the guards of C++ static locals.
 *
 * Happens-before: a semaphore wait receives from the post whose token it takes. Tokens are taken in the order in which
 * they were posted. Tokens of the initial value carry no message. A thread that leaves a barrier receives from all
 * arrivals of its round. A later call of pthread_once receives from the call that ran the routine.
 */
#include "supervisor/sync/pthread_sync.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/detect/lock_graph.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/model/barrier.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/once.h"
#include "supervisor/model/semaphore.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/lock_order.h"
#include "supervisor/state/findings/misuse.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/internal_calls.h"
#include "supervisor/sync/result_used.h"
#include "tracer/tracer.h"

static void receive_post(struct rfs_run *run, struct rfs_thread *thread, uint64_t number)
{
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_POST, number));
	rfs_emit_kind(run, thread, RFS_EVENT_FORGET, rfs_message(RFS_MESSAGE_POST, number));
}

/* Takes a token if there is one. how: enum rfs_lock_how. */
static void take_token(struct rfs_run *run, struct rfs_thread *thread, unsigned how)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	uint64_t number;
	unsigned value;

	if (rfs_semaphore_value(&memory, thread->next.object, &value) && value > 0)
		rfs_lock_order_took(run, thread, thread->next.object, how);
	if (rfs_semaphore_take(&run->sync, &memory, thread->next.object, &number))
		receive_post(run, thread, number);
}

void rfs_semaphore_executed(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, rfs_addr semaphore,
			    rfs_site site)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	uint64_t number = 0;
	bool posts = kind == RFS_OP_SEM_POST;

	thread->next = rfs_op_make(kind, site, semaphore);
	rfs_misuse_use(run, thread, RFS_OBJECT_SEMAPHORE, semaphore, site);
	if (posts)
		number = rfs_semaphore_post(&run->sync, &memory, semaphore);
	rfs_executed(run, thread, &thread->next, RFS_OUTCOME_DONE);
	if (posts)
		rfs_lock_order_posted(run, thread, semaphore);
	else
		rfs_lock_order_took(run, thread, semaphore, kind == RFS_OP_SEM_WAIT ? 0 : RFS_LOCK_NEVER_WAITS);
	if (posts)
		rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_POST, number));
	else if (rfs_semaphore_taken(&run->sync, &memory, semaphore, &number))
		receive_post(run, thread, number);
}

static enum rfs_then go_sem_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_misuse_use(run, thread, RFS_OBJECT_SEMAPHORE, thread->next.object, 0);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	/* if the policy lets the call time out, rfsup answers the call's next futex wait with ETIMEDOUT */
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT)
		thread->sync.futex.answer = -ETIMEDOUT;
	else
		take_token(run, thread, thread->deadline != RFS_NEVER ? RFS_LOCK_NEVER_WAITS : 0);
	if (!thread->sync.cancel_disabled)
		thread->sync.cancel_pending = false; /* sem_wait is a cancellation point and acts on the cancellation */
	return RFS_THEN_EXECUTE;
}

static enum rfs_then go_sem_try(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	unsigned value;

	rfs_misuse_use(run, thread, RFS_OBJECT_SEMAPHORE, thread->next.object, 0);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	take_token(run, thread, RFS_LOCK_NEVER_WAITS);
	if (rfs_semaphore_value(&memory, thread->next.object, &value) && value == 0)
		thread->yielded = true;
	return RFS_THEN_EXECUTE;
}

/* A signal has interrupted the call. If there is still no token, it fails with EINTR. */
static enum rfs_then go_sem_interrupted(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	unsigned value = 0;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_semaphore_value(&memory, thread->next.object, &value) && value == 0) {
		thread->sync.futex.answer = -EINTR;
		if (!rfs_result_used(run, rfs_call_back(run, thread)))
			rfs_misuse_error(run, thread, thread->next.object, EINTR);
	}
	take_token(run, thread, 0);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_sem_wait(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	rfs_site site = rfs_site_of(run, rfs_call_back(run, thread));
	struct rfs_model_memory memory = rfs_target_memory(run);
	const rfs_addr semaphore = rfs_call_object(run, thread, 0);
	const struct rfs_wait wait = {.kind = RFS_WAIT_SEMAPHORE, .object = semaphore};
	const bool interrupted = thread->interrupted == regs->rsp;
	bool valid = true;

	if (thread->interrupted <= regs->rsp) /* a handler's own calls have lower stack pointers */
		thread->interrupted = 0;

	rfs_misuse_call(run, thread, RFS_OBJECT_SEMAPHORE, semaphore);
	(void)rfs_semaphore_at(&run->sync, &memory, semaphore);
	if (call->param == 1)
		valid = rfs_deadline_from(run, regs->rsi, CLOCK_REALTIME, &thread->deadline);
	else if (call->param == 2)
		valid = rfs_deadline_from(run, regs->rdx, (int)regs->rsi, &thread->deadline);
	if (interrupted)
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SEM_TRYWAIT, site, semaphore), rfs_ready_always,
				go_sem_interrupted);
	if (call->param == 3 || !valid)
		return rfs_park(run, thread, rfs_op_make(RFS_OP_SEM_TRYWAIT, site, semaphore), rfs_ready_always,
				go_sem_try);
	else
		return rfs_park_until(run, thread, rfs_op_make(RFS_OP_SEM_WAIT, site, semaphore), wait, go_sem_wait);
}

static enum rfs_then go_sem_post(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	uint64_t number;

	rfs_misuse_use(run, thread, RFS_OBJECT_SEMAPHORE, thread->next.object, 0);
	number = rfs_semaphore_post(&run->sync, &memory, thread->next.object);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_lock_order_posted(run, thread, thread->next.object);
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_POST, number));
	return RFS_THEN_EXECUTE;
}

/* Parks a call that never waits. */
static enum rfs_then park_semaphore(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, rfs_go_fn go)
{
	const rfs_site site = rfs_site_of(run, rfs_call_back(run, thread));

	return rfs_park(run, thread, rfs_op_make(kind, site, rfs_call_object(run, thread, 0)), rfs_ready_always, go);
}

enum rfs_then rfs_enter_sem_post(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	return park_semaphore(run, thread, RFS_OP_SEM_POST, go_sem_post);
}

static enum rfs_then go_sem_value(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_misuse_use(run, thread, RFS_OBJECT_SEMAPHORE, thread->next.object, 0);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	thread->yielded = true; /* a loop that waits for a value must not starve the other threads */
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_sem_value(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	return park_semaphore(run, thread, RFS_OP_SEM_VALUE, go_sem_value);
}

/* Receives the message of a round. If this thread is the last one to leave the round, forgets the message. */
static void receive_round(struct rfs_run *run, struct rfs_thread *thread, uint64_t number)
{
	const uint64_t message = rfs_message(RFS_MESSAGE_BARRIER, number);

	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, message);
	if (rfs_barrier_message_is_last(&run->sync, &thread->sync, number))
		rfs_emit_kind(run, thread, RFS_EVENT_FORGET, message);
}

static enum rfs_then go_leave(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	receive_round(run, thread, thread->sync.wait.message);
	return rfs_call_answer(run, thread, 0);
}

static enum rfs_then go_arrive(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	const struct rfs_op leave = rfs_op_make(RFS_OP_BARRIER_LEAVE, thread->next.site, thread->next.object);
	struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_arrival arrival;

	rfs_misuse_use(run, thread, RFS_OBJECT_BARRIER, thread->next.object, 0);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	arrival = rfs_barrier_arrive(&run->sync, &memory, thread->next.object);
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_BARRIER, arrival.message));
	/* If arrivals commute, the last thread must do the same operations as the others. */
	if (!arrival.last || thread->next.kind == RFS_OP_BARRIER_ARRIVE) {
		const struct rfs_wait wait = {.kind = RFS_WAIT_BARRIER,
					      .object = leave.object,
					      .round = arrival.round,
					      .message = arrival.message};

		return rfs_park_until(run, thread, leave, wait, go_leave);
	}
	receive_round(run, thread, arrival.message);
	return rfs_call_answer(run, thread, (uint64_t)PTHREAD_BARRIER_SERIAL_THREAD);
}

static void native_barrier_returned(struct rfs_run *run, struct rfs_thread *thread,
				    const struct rfs_pending_return *call, uint64_t value)
{
	(void)call;
	(void)value;
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_FAMILY, 0));
}

/* The barrier is shared with other processes, or this is not a barrier. */
static enum rfs_then go_native_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_misuse_use(run, thread, RFS_OBJECT_BARRIER, thread->next.object, 0);
	if (rfs_family_any(run)) {
		rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_FAMILY, 0));
		rfs_call_on_return(run, thread, native_barrier_returned, 0);
	}
	return rfs_go_on(run, thread, choice);
}

/* Whether the thread comes back from a signal handler that ran after it had arrived at this barrier. */
static bool has_arrived(struct rfs_thread *thread, rfs_addr barrier, struct rfs_wait *wait)
{
	const rfs_addr stack = rfs_task_regs(thread->task)->rsp;

	if (!thread->sync.arrived_stack || stack < thread->sync.arrived_stack)
		return false; /* a handler's own calls have lower stack pointers */
	*wait = thread->sync.arrived;
	thread->sync.arrived = (struct rfs_wait){0};
	if (stack != thread->sync.arrived_stack)
		wait->kind = RFS_WAIT_NOTHING; /* the handler jumped out of the call */
	thread->sync.arrived_stack = 0;
	return wait->kind == RFS_WAIT_BARRIER && wait->object == barrier;
}

enum rfs_then rfs_enter_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr barrier = rfs_call_object(run, thread, 0), back = rfs_call_back(run, thread);
	struct rfs_op op = rfs_op_make(RFS_OP_BARRIER_WAIT, rfs_site_of(run, back), barrier);
	struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_wait wait;

	(void)call;
	if (has_arrived(thread, barrier, &wait)) {
		op.kind = RFS_OP_BARRIER_LEAVE;
		return rfs_park_until(run, thread, op, wait, go_leave);
	}
	if (!rfs_barrier_is_private(&memory, barrier))
		return rfs_park(run, thread, op, rfs_ready_always, go_native_barrier);
	if (rfs_barrier_approach(&run->sync, &memory, barrier, thread->number) && !rfs_result_used(run, back))
		op.kind = RFS_OP_BARRIER_ARRIVE;
	return rfs_park(run, thread, op, rfs_ready_always, go_arrive);
}

static void once_finished(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			  uint64_t value)
{
	(void)value;
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_ONCE, call->arg));
}

void rfs_once_executed(struct rfs_run *run, struct rfs_thread *thread, rfs_addr once, rfs_site site)
{
	thread->next = rfs_op_make(RFS_OP_ONCE, site, once);
	rfs_executed(run, thread, &thread->next, RFS_OUTCOME_DONE);
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_ONCE, once));
}

static enum rfs_then go_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	rfs_addr object = thread->next.object;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_once_look(&memory, object) == RFS_ONCE_DONE)
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_ONCE, object));
	else if (run->spec->detector)
		rfs_call_on_return(run, thread, once_finished, object);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_once(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr back = rfs_call_back(run, thread), object = rfs_call_object(run, thread, 0);
	struct rfs_op op = rfs_op_make(RFS_OP_ONCE, rfs_site_of(run, back), object);
	const struct rfs_wait wait = {.kind = RFS_WAIT_ONCE, .object = object};
	struct rfs_model_memory memory = rfs_target_memory(run);

	(void)call;
	if ((rfs_call_is_internal(run, back) || rfs_object_is_internal(run, object)) &&
	    rfs_once_look(&memory, object) != RFS_ONCE_IN_PROGRESS)
		return RFS_THEN_EXECUTE;
	return rfs_park_until(run, thread, op, wait, go_once);
}

static enum rfs_then go_guard(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_model_memory memory = rfs_target_memory(run);

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_guard_look(&memory, thread->next.object) == RFS_ONCE_DONE)
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_ONCE, thread->next.object));
	return RFS_THEN_EXECUTE;
}

/*
 * Sends the message of a guard that becomes "done". The event's size of 1 means that a plain read of the guard's first
 * byte receives the message too. Compilers inline that read, and call no function if the byte is set.
 */
static void guard_set(struct rfs_run *run, struct rfs_thread *thread, rfs_addr guard)
{
	struct rfs_event event = {.kind = RFS_EVENT_SEND,
				  .thread = thread->number,
				  .message = rfs_message(RFS_MESSAGE_ONCE, guard),
				  .op = rfs_op_make(RFS_OP_ONCE, 0, guard)};

	event.op.size = 1;
	rfs_emit(run, &event);
}

/* call->param: 0 __cxa_guard_acquire, 1 __cxa_guard_release. */
enum rfs_then rfs_enter_guard(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	rfs_addr object = rfs_call_object(run, thread, 0);
	rfs_site site = rfs_site_of(run, rfs_call_back(run, thread));
	const struct rfs_wait wait = {.kind = RFS_WAIT_GUARD, .object = object};

	if (call->param == 1) {
		guard_set(run, thread, object);
		return RFS_THEN_EXECUTE;
	}
	return rfs_park_until(run, thread, rfs_op_make(RFS_OP_ONCE, site, object), wait, go_guard);
}
