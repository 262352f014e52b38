/*
 * pthread_lock.c - mutexes, readers-writer locks and spin locks.
 *
 * A thread is parked at the entry of the call. It is enabled if the call would return at once. When the policy picks
 * the thread, the call runs natively.
 *
 * A lock that prefers writers lets no reader in while a writer waits. To be parked at the call is not yet to wait: the
 * program may not have made the call so far. So a writer that finds such a lock held makes two operations, a try that
 * fails and the acquisition. After the first one the writer waits.
 */
#include "supervisor/sync/pthread_lock.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/detect/lock_graph.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/model/lock.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/objects.h"
#include "supervisor/model/semaphore.h"
#include "supervisor/model/sync.h"
#include "supervisor/model/wait.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/misuse.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/hold_stack.h"
#include "supervisor/sync/internal_calls.h"
#include "supervisor/sync/result_used.h"
#include "tracer/tracer.h"

static const enum rfs_op_kind kind_of[] = {
	[RFS_LOCK_MUTEX] = RFS_OP_LOCK, [RFS_LOCK_READ] = RFS_OP_RDLOCK, [RFS_LOCK_WRITE] = RFS_OP_WRLOCK,
	[RFS_LOCK_SPIN] = RFS_OP_LOCK,	[RFS_LOCK_WORD] = RFS_OP_LOCK,	 [RFS_LOCK_STREAM] = RFS_OP_LOCK,
};

/*
 * The type of the lock that the thread's call uses. Enter handlers store the type in args[0]. The address of the lock
 * is next.object.
 */
static enum rfs_lock_type pthread_lock_type_of(const struct rfs_thread *thread)
{
	return (enum rfs_lock_type)thread->args[0];
}

static struct rfs_lock_state pthread_lock_look(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock)
{
	struct rfs_model_memory memory = rfs_target_memory(run);

	return rfs_wait_lock(&run->sync, &thread->sync, &memory, pthread_lock_type_of(thread), lock);
}

/*
 * If the lock is free in memory but the model still has a holder, the target has overwritten the lock. Drops the
 * holds, with a warning.
 */
static void check_overwritten(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock,
			      const struct rfs_lock_state *state)
{
	int holder;

	if (!state->acquires || kind_of[pthread_lock_type_of(thread)] == RFS_OP_RDLOCK)
		return;
	while ((holder = rfs_sync_holder(&run->sync, lock, NULL)) >= 0) {
		if (holder == thread->number && state->owner == thread->tid)
			return; /* the thread already holds this recursive lock and locks it again */
		/* GLib's own code may release a GMutex without a call of g_mutex_unlock() */
		if (pthread_lock_type_of(thread) < RFS_LOCK_WORD)
			rfs_run_warn(run,
				     "lock memory was overwritten: thread %d held a lock, which is now free without an "
				     "unlock",
				     holder);
		while (rfs_sync_holds(&run->threads[holder]->sync, lock))
			rfs_released(run, run->threads[holder], lock);
	}
}

/* how: enum rfs_lock_how */
static void pthread_lock_take(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_lock_state *state,
			      unsigned how)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	rfs_addr lock = thread->next.object;

	if ((pthread_lock_type_of(thread) == RFS_LOCK_READ || pthread_lock_type_of(thread) == RFS_LOCK_WRITE) &&
	    rfs_lock_prefers_writers(&memory, lock))
		how |= RFS_LOCK_PREFERS_WRITERS;

	check_overwritten(run, thread, lock, state);
	if (state->acquires) {
		rfs_acquired(run, thread, lock, kind_of[pthread_lock_type_of(thread)], how);
		if (pthread_lock_type_of(thread) <= RFS_LOCK_WRITE && !state->shared && !state->robust)
			rfs_sync_own(&thread->sync, lock);
		rfs_keep_hold_stack(run, thread);
	}
	thread->sync.wants_write = 0;
}

/* The thread's call returns this error. */
static void returns_error(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock, int error)
{
	if (error && !rfs_result_used(run, rfs_call_back(run, thread)))
		rfs_misuse_error(run, thread, lock, error);
}

static enum rfs_then pthread_lock_go_lock(struct rfs_run *run, struct rfs_thread *thread,
					  const struct rfs_choice *choice)
{
	const rfs_addr lock = thread->next.object;
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_lock_state state;

	rfs_misuse_lock(run, thread, pthread_lock_type_of(thread), lock);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT) {
		thread->sync.wants_write = 0;
		returns_error(run, thread, lock, ETIMEDOUT);
		return rfs_call_answer(run, thread, ETIMEDOUT);
	}
	state = pthread_lock_look(run, thread, lock);
	returns_error(run, thread, lock, rfs_lock_error(&memory, thread->tid, pthread_lock_type_of(thread), lock));
	pthread_lock_take(run, thread, &state, thread->deadline != RFS_NEVER ? RFS_LOCK_NEVER_WAITS : 0);
	return RFS_THEN_EXECUTE;
}

/*
 * Go handler for a call that the C library makes for itself. The call is no operation of the program, but it may have
 * to wait like any other call.
 */
static enum rfs_then go_internal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	(void)run;
	(void)thread;
	(void)choice;
	return RFS_THEN_EXECUTE;
}

/* Carries out a call that does not wait. refusal: what it returns to a reader because a writer waits. */
static enum rfs_then try_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice,
			      int refusal)
{
	const struct rfs_op op = thread->next;
	const struct rfs_model_memory memory = rfs_target_memory(run);
	struct rfs_lock_state state = pthread_lock_look(run, thread, op.object);

	rfs_misuse_lock(run, thread, pthread_lock_type_of(thread), op.object);
	returns_error(run, thread, op.object,
		      state.acquires ? rfs_lock_error(&memory, thread->tid, pthread_lock_type_of(thread), op.object)
				     : refusal);
	rfs_executed(run, thread, &op, choice->outcome);
	if (state.acquires) {
		pthread_lock_take(run, thread, &state, RFS_LOCK_NEVER_WAITS);
		return RFS_THEN_EXECUTE;
	}
	thread->yielded = true; /* a loop around the call must not starve the holder */
	/* the lock's memory does not show the writer that waits, so the call itself would succeed */
	if (pthread_lock_type_of(thread) == RFS_LOCK_READ &&
	    rfs_sync_writer_waits(&run->sync, &thread->sync, op.object))
		return rfs_call_answer(run, thread, (uint64_t)refusal);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then pthread_lock_go_trylock(struct rfs_run *run, struct rfs_thread *thread,
					     const struct rfs_choice *choice)
{
	return try_lock(run, thread, choice, EBUSY);
}

/* Go handler for a call whose time is invalid, which is an error only if the call would wait. */
static enum rfs_then go_badly_timed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	return try_lock(run, thread, choice, EINVAL);
}

void rfs_lock_give_up(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock)
{
	int holder = rfs_sync_unlocks(&run->sync, &thread->sync, lock);

	if (holder >= 0)
		rfs_released(run, run->threads[holder], lock);
}

static enum rfs_then pthread_lock_go_unlock(struct rfs_run *run, struct rfs_thread *thread,
					    const struct rfs_choice *choice)
{
	struct rfs_model_memory memory = rfs_target_memory(run);
	const bool refused =
		rfs_lock_refuses_unlock(&memory, thread->tid, pthread_lock_type_of(thread), thread->next.object);

	/* the error is defined, so a program may ask with this call whether it holds the mutex, if it is one */
	if (!refused || !rfs_result_used(run, rfs_call_back(run, thread)))
		rfs_misuse_unlock(run, thread, pthread_lock_type_of(thread), thread->next.object, 0);
	else
		rfs_misuse_call(run, thread, rfs_object_of_lock(pthread_lock_type_of(thread)), thread->next.object);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (!refused)
		rfs_lock_give_up(run, thread, thread->next.object);
	return RFS_THEN_EXECUTE;
}

/* An unlock of this lock, as an operation: RFS_ACCESS_READ if the thread holds it shared. */
static unsigned release_access(const struct rfs_thread *thread, rfs_addr lock)
{
	for (size_t i = 0; i < thread->sync.n_holds; i++)
		if (thread->sync.holds[i].lock == lock)
			return thread->sync.holds[i].kind == RFS_OP_RDLOCK ? RFS_ACCESS_READ : 0;
	return 0;
}

void rfs_lock_executed(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, enum rfs_lock_type type,
		       rfs_addr lock, rfs_site site)
{
	const struct rfs_lock_state state = {.returns = true, .acquires = true};

	thread->args[0] = (unsigned long)type;
	thread->next = rfs_op_make(kind, site, lock);
	if (kind == RFS_OP_UNLOCK) {
		thread->next.access = release_access(thread, lock);
		rfs_misuse_unlock(run, thread, type, lock, site);
	}
	rfs_executed(run, thread, &thread->next, RFS_OUTCOME_DONE);
	if (kind == RFS_OP_UNLOCK)
		rfs_lock_give_up(run, thread, lock);
	else
		pthread_lock_take(run, thread, &state, kind == RFS_OP_TRYLOCK ? RFS_LOCK_NEVER_WAITS : 0);
}

static struct rfs_op pthread_lock_operation(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind)
{
	return rfs_op_make(kind, rfs_site_of(run, rfs_call_back(run, thread)), rfs_call_object(run, thread, 0));
}

/* Parks a call that returns at once. */
static enum rfs_then park_call(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, int type,
			       rfs_go_fn go)
{
	thread->args[0] = (unsigned long)type;
	return rfs_park(run, thread, pthread_lock_operation(run, thread, kind), rfs_ready_always, go);
}

/* Parks a call that may have to wait for the lock. */
static enum rfs_then park_lock(struct rfs_run *run, struct rfs_thread *thread, int type, rfs_go_fn go)
{
	const struct rfs_op op = pthread_lock_operation(run, thread, kind_of[type]);
	const struct rfs_wait wait = {.kind = RFS_WAIT_LOCK, .lock = (enum rfs_lock_type)type, .object = op.object};

	thread->args[0] = (unsigned long)type;
	return rfs_park_until(run, thread, op, wait, go);
}

/* The first operation of a writer: the thread gets the lock, or begins to wait. */
static enum rfs_then pthread_lock_go_write(struct rfs_run *run, struct rfs_thread *thread,
					   const struct rfs_choice *choice)
{
	const struct rfs_op op = thread->next;
	struct rfs_lock_state state = pthread_lock_look(run, thread, op.object);

	if (state.returns)
		return pthread_lock_go_lock(run, thread, choice);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	thread->sync.wants_write = op.object;
	return park_lock(run, thread, RFS_LOCK_WRITE, pthread_lock_go_lock);
}

/* Parks a writer at the first of its two operations. */
static enum rfs_then park_writer(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_op op = pthread_lock_operation(run, thread, RFS_OP_TRYLOCK);

	op.access = RFS_ACCESS_WRITE;
	return rfs_park(run, thread, op, rfs_ready_always, pthread_lock_go_write);
}

/* Parks a call of the program that may have to wait for the lock. */
static enum rfs_then park_program_lock(struct rfs_run *run, struct rfs_thread *thread, int type)
{
	const rfs_addr lock = rfs_call_object(run, thread, 0);
	struct rfs_model_memory memory = rfs_target_memory(run);

	thread->args[0] = (unsigned long)type;
	rfs_misuse_call(run, thread, rfs_object_of_lock((enum rfs_lock_type)type), lock);
	/* if a deadlock is under test, another thread may take the lock while this writer is parked; the writer must
	 * then begin to wait */
	if (type == RFS_LOCK_WRITE && rfs_lock_prefers_writers(&memory, lock) &&
	    (run->spec->plan.cycle || !pthread_lock_look(run, thread, lock).returns))
		return park_writer(run, thread);
	return park_lock(run, thread, type, pthread_lock_go_lock);
}

enum rfs_then rfs_enter_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_addr lock = rfs_call_object(run, thread, 0);
	/* a stream may be a variable of the C library even if the program locks it */
	bool internal = rfs_call_is_internal(run, rfs_call_back(run, thread)) ||
			(call->param != RFS_LOCK_STREAM && rfs_object_is_internal(run, lock));

	if (internal) {
		thread->args[0] = (unsigned long)call->param;
		if (pthread_lock_look(run, thread, lock).returns)
			return RFS_THEN_EXECUTE;
	}
	if (internal)
		return park_lock(run, thread, call->param, go_internal);
	return park_program_lock(run, thread, call->param);
}

enum rfs_then rfs_enter_trylock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	return park_call(run, thread, RFS_OP_TRYLOCK, call->param, pthread_lock_go_trylock);
}

enum rfs_then rfs_enter_timedlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	bool with_clock = strstr(call->name, "_clock") != NULL;

	/* if the time is invalid, the call never waits: the thread is parked as at a call that returns at once */
	if (!rfs_deadline_from(run, with_clock ? regs->rdx : regs->rsi, with_clock ? (int)regs->rsi : CLOCK_REALTIME,
			       &thread->deadline)) {
		return park_call(run, thread, RFS_OP_TRYLOCK, call->param, go_badly_timed);
	}
	return park_program_lock(run, thread, call->param);
}

enum rfs_then rfs_enter_unlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	struct rfs_op op = pthread_lock_operation(run, thread, RFS_OP_UNLOCK);

	if (rfs_object_is_internal(run, op.object))
		return RFS_THEN_EXECUTE;
	op.access = release_access(thread, op.object);
	thread->args[0] = (unsigned long)call->param;
	return rfs_park(run, thread, op, rfs_ready_always, pthread_lock_go_unlock);
}

/* How many bytes the object has at least. */
static size_t object_size(enum rfs_object_type type)
{
	switch (type) {
	case RFS_OBJECT_MUTEX:
		return sizeof(pthread_mutex_t);
	case RFS_OBJECT_SPIN:
		return sizeof(pthread_spinlock_t);
	case RFS_OBJECT_RWLOCK:
		return sizeof(pthread_rwlock_t);
	default:
		return sizeof(sem_t) < sizeof(pthread_barrier_t) ? sizeof(sem_t) : sizeof(pthread_barrier_t);
	}
}

static enum rfs_then go_destroy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	const enum rfs_object_type type = (enum rfs_object_type)thread->args[0];

	rfs_misuse_destroy(run, thread, type, thread->next.object);
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_semaphore_destroy(&run->sync, thread->next.object);
	rfs_quarantine_destroys(run, thread, thread->next.object, object_size(type));
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_destroy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	return park_call(run, thread, RFS_OP_DESTROY, call->param, go_destroy);
}
