/*
 * pthread_lock.c - mutexes, readers-writer locks and spin locks: parked before the call, enabled when it comes back
 * at once, run natively then.
 */
#include "supervisor/sync/pthread_lock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/call.h"
#include "supervisor/state/events.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"
#include "supervisor/sync/lock_model.h"
#include "supervisor/sync/pthread_calls.h"
#include "supervisor/sync/pthread_sync.h"
#include "tracer/tracer.h"

static const enum rfs_op_kind kind_of[] = {
	[RFS_LOCK_MUTEX] = RFS_OP_LOCK,
	[RFS_LOCK_READ] = RFS_OP_RDLOCK,
	[RFS_LOCK_WRITE] = RFS_OP_WRLOCK,
	[RFS_LOCK_SPIN] = RFS_OP_LOCK,
};

/* Which lock, of what type, the parked call is about: kept in the operation and in object2. */
static enum rfs_lock_type type_of(const struct rfs_thread *thread)
{
	return (enum rfs_lock_type)thread->args[0];
}

static struct rfs_lock_state look(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock)
{
	struct rfs_lock_state state = {0};

	/* A lock in memory that is not there faults in the call: let it. */
	if (!rfs_lock_look(run, thread, type_of(thread), lock, &state))
		state.returns = true;
	/* Held by another process: the wait goes into the kernel. */
	if (!state.returns && state.shared && state.owner && !rfs_thread_by_tid(run, state.owner))
		state.returns = true;
	return state;
}

/* A hold that no modelled call gave up, of a lock that memory calls free. */
static void check_overwritten(struct rfs_run *run, struct rfs_thread *thread, rfs_addr lock,
			      const struct rfs_lock_state *state)
{
	struct rfs_thread *holder;

	if (!state->acquires || kind_of[type_of(thread)] == RFS_OP_RDLOCK)
		return;
	while ((holder = rfs_holder(run, lock, NULL)) != NULL) {
		size_t before = holder->n_holds;

		if (holder == thread && state->owner == thread->tid)
			return; /* recursive */
		rfs_run_warn(run,
			     "lock memory was overwritten: thread %d held a lock, which is now free without an unlock",
			     holder->number);
		while (holder->n_holds == before)
			rfs_released(run, holder, lock);
	}
}

static unsigned ready_lock(struct rfs_run *run, struct rfs_thread *thread)
{
	return look(run, thread, thread->next.object).returns ? RFS_THREAD_ENABLED : 0;
}

static unsigned ready_timedlock(struct rfs_run *run, struct rfs_thread *thread)
{
	return rfs_ready_timed(run, look(run, thread, thread->next.object).returns, thread->deadline);
}

static void take(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_lock_state *state)
{
	rfs_addr lock = thread->next.object;

	check_overwritten(run, thread, lock, state);
	if (state->acquires)
		rfs_acquired(run, thread, lock, kind_of[type_of(thread)]);
}

static void go_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_lock_state state;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT) {
		rfs_call_answer(run, thread, ETIMEDOUT);
		return;
	}
	state = look(run, thread, thread->next.object);
	take(run, thread, &state);
	rfs_proceed(run, thread);
}

/* The C library's own call: no operation of the program's, but it may have to wait like any. */
static void go_internal(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	(void)choice;
	rfs_proceed(run, thread);
}

static void go_trylock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_lock_state state = look(run, thread, thread->next.object);

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (state.acquires)
		take(run, thread, &state);
	else
		thread->yielded = true; /* a loop around it must not starve the holder */
	rfs_proceed(run, thread);
}

static void give_up(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_thread *holder = NULL;

	for (size_t i = 0; i < thread->n_holds && !holder; i++)
		if (thread->holds[i].lock == thread->next.object)
			holder = thread;
	if (!holder) /* unlocked by another than its holder */
		holder = rfs_holder(run, thread->next.object, thread);
	if (holder)
		rfs_released(run, holder, thread->next.object);
}

static void go_unlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (!rfs_lock_refuses_unlock(run, thread, type_of(thread), thread->next.object))
		give_up(run, thread);
	rfs_proceed(run, thread);
}

void rfs_lock_executed(struct rfs_run *run, struct rfs_thread *thread, bool locks, rfs_addr mutex, rfs_site site)
{
	const struct rfs_lock_state state = {.returns = true, .acquires = true};

	thread->args[0] = RFS_LOCK_MUTEX;
	thread->next = rfs_op_make(locks ? RFS_OP_LOCK : RFS_OP_UNLOCK, site, mutex);
	rfs_executed(run, thread, &thread->next, RFS_OUTCOME_DONE);
	if (locks)
		take(run, thread, &state);
	else
		give_up(run, thread);
}

static void park_call(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind, int type,
		      rfs_ready_fn ready, rfs_go_fn go)
{
	struct rfs_op op =
		rfs_op_make(kind, rfs_site_of(run, rfs_call_back(run, thread)), rfs_task_regs(thread->task)->rdi);

	thread->args[0] = (unsigned long)type;
	rfs_park(run, thread, op, ready, go);
}

void rfs_enter_lock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	bool internal = rfs_call_is_internal(run, rfs_call_back(run, thread));

	if (internal) {
		thread->args[0] = (unsigned long)call->param;
		if (look(run, thread, rfs_task_regs(thread->task)->rdi).returns) {
			rfs_proceed(run, thread);
			return;
		}
	}
	park_call(run, thread, kind_of[call->param], call->param, ready_lock, internal ? go_internal : go_lock);
}

void rfs_enter_trylock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	park_call(run, thread, RFS_OP_TRYLOCK, call->param, rfs_ready_always, go_trylock);
}

void rfs_enter_timedlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	bool with_clock = strstr(call->name, "_clock") != NULL;

	/* An invalid time is an error only where the call would wait: it runs natively then. */
	if (!rfs_deadline_from(run, with_clock ? regs->rdx : regs->rsi, with_clock ? (int)regs->rsi : CLOCK_REALTIME,
			       &thread->deadline)) {
		park_call(run, thread, RFS_OP_TRYLOCK, call->param, rfs_ready_always, go_trylock);
		return;
	}
	park_call(run, thread, kind_of[call->param], call->param, ready_timedlock, go_lock);
}

void rfs_enter_unlock(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	park_call(run, thread, RFS_OP_UNLOCK, call->param, rfs_ready_always, go_unlock);
}

static void go_destroy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct rfs_semaphore *semaphore;
	rfs_addr object = thread->next.object;

	rfs_executed(run, thread, &thread->next, choice->outcome);
	HASH_FIND(hh, run->semaphores, &object, sizeof(object), semaphore);
	if (semaphore) {
		HASH_DEL(run->semaphores, semaphore);
		free(semaphore->tokens);
		free(semaphore);
	}
	rfs_proceed(run, thread);
}

void rfs_enter_destroy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	park_call(run, thread, RFS_OP_DESTROY, call->param, rfs_ready_always, go_destroy);
}
