/*
 * stopless_locks.c - calls of locks, semaphores and condition variables that execute without a stop, because a hint of
 * the policy covers them (struct rfs_choice).
 *
 * When a thread is resumed, it is lent a number of operations. Stubs at the entries of the functions
 * (access/calls/lock_calls.h) then record the calls and do not stop. At the next stop, before anything else,
 * rfs_stopless_recorded() does for each record what a stop at that call would have done.
 *
 * The result is the same as with stops, down to the hash of the operations. All other threads are parked, so only this
 * thread changes anything. It locks only free locks, and takes only tokens that are there. If the hint depends on the
 * other threads, operations are lent only as long as neither these objects nor time can enable another thread. Signals
 * of condition variables are lent only if no thread waits for one.
 *
 * In one case operations are lent without a hint. If only one thread can be picked, some policies need not be asked
 * (RFS_POLICY_SINGLE). The thread is then lent the unlock of the mutex that all other threads wait for, and signals
 * before that unlock.
 */
#include "supervisor/run/stops/stopless_locks.h"

#include "disasm/addr.h"
#include "disasm/rewrite/stub.h"
#include "policy/policy.h"
#include "supervisor/access/calls/lock_calls.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/access/stubs.h"
#include "supervisor/kernel/descriptors/loopback.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/model/lock.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/hold_stacks.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/trace.h"
#include "supervisor/sync/internal_calls.h"
#include "supervisor/sync/pthread_cond.h"
#include "supervisor/sync/pthread_lock.h"
#include "supervisor/sync/pthread_sync.h"
#include "tracer/stub_buffer.h"

/*
 * The largest number of operations to lend. Each operation takes two records, so the lent operations fill at most a
 * quarter of the stub buffer.
 */
#define LENT_MAX 2048

/* How many signals are lent together with the unlock of the mutex that all other threads wait for. */
#define SIGNALS_BEFORE_UNLOCK 4

/*
 * Whether the thread, which is in a condition wait, still waits for the signal. After the signal it waits for the
 * mutex.
 */
static bool stopless_locks_is_asleep(const struct rfs_run *run, const struct rfs_thread *thread)
{
	return !thread->sync.cond.signalled && !thread->sync.cond.spurious && !rfs_sync_cancelled(&thread->sync) &&
	       !rfs_ready_timed(run, false, thread->deadline);
}

/* Whether a parked thread's flags depend neither on the target's memory nor on anything outside the target. */
static bool is_settled(const struct rfs_run *run, const struct rfs_thread *thread)
{
	if (thread->ready == rfs_ready_always)
		return true;
	switch (thread->next.kind) {
	case RFS_OP_JOIN:
	case RFS_OP_BARRIER_LEAVE:
	case RFS_OP_FUTEX_SLEEP:
	case RFS_OP_SLEEP:
		return true;
	case RFS_OP_COND_WAKE:
		return stopless_locks_is_asleep(run, thread);
	default:
		return false;
	}
}

/*
 * The virtual time at which the thread's flags change because time passes. RFS_NEVER: the passing of time does not
 * change them.
 */
static uint64_t changes_at(const struct rfs_run *run, const struct rfs_thread *thread)
{
	const uint64_t race = rfs_sleep_race(run), deadline = thread->deadline;

	if (deadline == RFS_NEVER || deadline <= run->time.now)
		return RFS_NEVER;
	return deadline - run->time.now > race ? deadline - race : deadline;
}

/* How many operations this thread can execute before another thread's flags can change. */
static uint64_t steady_for(struct rfs_run *run, const struct rfs_thread *thread)
{
	uint64_t until = RFS_NEVER;
	size_t alive = 0;

	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];

		alive += t->state != RFS_STATE_ENDED;
		if (t == thread || t->state == RFS_STATE_ENDED)
			continue;
		if (t->yielded)
			return 0;
		if (t->ready(run, t) != t->steady_flags || !is_settled(run, t))
			return 0;
		if (changes_at(run, t) < until)
			until = changes_at(run, t);
	}
	if (alive != run->loop.n_steady)
		return 0;
	return until == RFS_NEVER ? LENT_MAX : (until - run->time.now - 1) / RFS_OPERATION_NANOS;
}

/*
 * The mutex that t waits for, if t waits for a mutex and nothing else. 0: t does not wait for a mutex, or also for
 * something else.
 */
static rfs_addr mutex_of(const struct rfs_run *run, const struct rfs_thread *t)
{
	if (t->next.kind == RFS_OP_LOCK && t->deadline == RFS_NEVER)
		return t->next.object;
	return t->next.kind == RFS_OP_COND_WAKE && !stopless_locks_is_asleep(run, t) ? t->sync.cond.mutex : 0;
}

/*
 * The mutex that keeps all other threads from running. This thread holds the mutex, and each other thread waits for it
 * or could not run even if the mutex were free. 0: there is no such mutex.
 */
static rfs_addr held_from_all(struct rfs_run *run, const struct rfs_thread *thread)
{
	rfs_addr mutex = 0;

	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];
		rfs_addr wanted;

		if (t->state == RFS_STATE_ENDED || t == thread)
			continue;
		wanted = mutex_of(run, t);
		if (wanted ? !rfs_sync_holds(&thread->sync, wanted) || (mutex && mutex != wanted)
			   : !is_settled(run, t) || t->ready(run, t) ||
				     changes_at(run, t) <=
					     run->time.now + (SIGNALS_BEFORE_UNLOCK + 2) * RFS_OPERATION_NANOS)
			return 0;
		if (wanted)
			mutex = wanted;
	}
	return mutex;
}

/*
 * Whether all other threads are parked or have ended. A thread in the kernel could return at any time, and a new
 * thread could reach its first stop.
 */
static bool others_are_parked(const struct rfs_run *run, const struct rfs_thread *thread)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t != thread && t->state != RFS_STATE_PARKED && t->state != RFS_STATE_ENDED)
			return false;
	}
	return true;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many of the thread's next operations the hint covers. */
static uint64_t covered(struct rfs_run *run, const struct rfs_thread *thread)
{
	uint64_t n = run->loop.hint.thread == thread->number ? smaller(run->loop.hint.left, LENT_MAX) : 0;

	return n && run->loop.hint.steady ? smaller(n, steady_for(run, thread)) : n;
}

/* Divides n operations among the kinds of calls. Waiters are known to the model only, so a stub cannot see them. */
static void divide(const struct rfs_run *run, uint64_t n, struct rfs_stub_lent *lent)
{
	const uint64_t signals = n >= 8 && !rfs_cond_is_waited_for(run) ? n / 4 : 0;

	lent->calls[RFS_LENT_SIGNALS] = (int32_t)signals;
	lent->calls[RFS_LENT_LOCKS] = lent->calls[RFS_LENT_UNLOCKS] = (int32_t)((n - signals) / 2);
}

void rfs_stopless_lend(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_run_spec *spec = run->spec;
	/* what is left of a hint that is not steady goes on even if another thread is enabled */
	const bool lasts = run->loop.hint.left && !run->loop.hint.steady,
		   single = (spec->policy->flags & RFS_POLICY_SINGLE) && run->current == thread->number && !lasts;
	struct rfs_stub_lent lent = {.self = (uint32_t)thread->tid};
	uint64_t n, limit;

	if (!rfs_stubs_lend(run) || thread->yielded || !(run->loop.hint.left || single))
		return;
	/* a cancellation or an interruption changes what the next wait at a semaphore does */
	if (thread->sync.cancel_pending || thread->interrupted)
		return;
	/*
	 * In these cases, something is checked before each choice that may concern another thread. So no choice may be
	 * left out.
	 */
	if (rfs_stores_wait(run) || run->signals || rfs_timers_any(run) || run->n_children || rfs_family_any(run) ||
	    rfs_loopback_in_use(run) || rfs_input_replays(run) || spec->clock_real || !rfs_trace_can_wait(run) ||
	    !others_are_parked(run, thread))
		return;
	limit = spec->limits.steps ? spec->limits.steps - smaller(spec->limits.steps, run->result->counts.steps + 1)
				   : LENT_MAX;
	limit = smaller(limit, rfs_hold_stacks_until_next(run));
	n = smaller(covered(run, thread), limit);
	if (n > 1) {
		divide(run, n, &lent);
	} else if (single && limit && (lent.only = held_from_all(run, thread)) != 0) {
		lent.calls[RFS_LENT_UNLOCKS] = 1;
		if (!rfs_cond_is_waited_for(run))
			lent.calls[RFS_LENT_SIGNALS] = (int32_t)smaller(limit - 1, SIGNALS_BEFORE_UNLOCK);
		lent.mask = ~0ull;
		run->loop.hint.left = 0; /* the unlock enables another thread, so the hint no longer holds */
	}
	rfs_stub_buffer_lend(thread->task, &lent);
}

/* Which operation a record is about. */
static const struct {
	enum rfs_op_kind kind;
	enum rfs_lock_type type; /* of a lock */
} operations[] = {
	[RFS_OPERAND_LOCKED] = {RFS_OP_LOCK, RFS_LOCK_MUTEX},
	[RFS_OPERAND_UNLOCKED] = {RFS_OP_UNLOCK, RFS_LOCK_MUTEX},
	[RFS_OPERAND_TRY_LOCKED] = {RFS_OP_TRYLOCK, RFS_LOCK_MUTEX},
	[RFS_OPERAND_READ_LOCKED] = {RFS_OP_RDLOCK, RFS_LOCK_READ},
	[RFS_OPERAND_WRITE_LOCKED] = {RFS_OP_WRLOCK, RFS_LOCK_WRITE},
	[RFS_OPERAND_TRY_READ_LOCKED] = {RFS_OP_TRYLOCK, RFS_LOCK_READ},
	[RFS_OPERAND_TRY_WRITE_LOCKED] = {RFS_OP_TRYLOCK, RFS_LOCK_WRITE},
	[RFS_OPERAND_RW_UNLOCKED] = {RFS_OP_UNLOCK, RFS_LOCK_READ},
	[RFS_OPERAND_POSTED] = {.kind = RFS_OP_SEM_POST},
	[RFS_OPERAND_TAKEN] = {.kind = RFS_OP_SEM_WAIT},
	[RFS_OPERAND_TRY_TAKEN] = {.kind = RFS_OP_SEM_TRYWAIT},
	[RFS_OPERAND_ONCE_DONE] = {.kind = RFS_OP_ONCE},
	[RFS_OPERAND_SIGNALLED] = {.kind = RFS_OP_COND_SIGNAL},
	[RFS_OPERAND_BROADCAST] = {.kind = RFS_OP_COND_BROADCAST},
};

bool rfs_stopless_is_operation(enum rfs_operand_kind operand)
{
	return operand >= RFS_OPERAND_LOCKED;
}

int rfs_stopless_adds(enum rfs_operand_kind operand)
{
	if (operand == RFS_OPERAND_POSTED)
		return 1;
	return operand == RFS_OPERAND_TAKEN || operand == RFS_OPERAND_TRY_TAKEN ? -1 : 0;
}

void rfs_stopless_recorded(struct rfs_run *run, struct rfs_thread *thread, enum rfs_operand_kind operand,
			   rfs_addr object)
{
	const enum rfs_op_kind kind = operations[operand].kind;
	const bool signals = operand >= RFS_OPERAND_SIGNALLED;
	rfs_site site;

	/* calls that the C library makes for itself are not operations of the program, except signals */
	if (!signals && (rfs_call_is_internal(run, thread->heap_call.caller) || rfs_object_is_internal(run, object)))
		return;
	site = rfs_site_of(run, thread->heap_call.caller);
	if (run->loop.hint.thread == thread->number && run->loop.hint.left)
		run->loop.hint.left--;
	run->result->counts.steps_recorded++;
	rfs_input_chosen(run);
	rfs_advance(run, run->time.now + RFS_OPERATION_NANOS);
	if (signals)
		rfs_cond_executed(run, thread, kind, object, site);
	else if (operand == RFS_OPERAND_ONCE_DONE)
		rfs_once_executed(run, thread, object, site);
	else if (rfs_stopless_adds(operand))
		rfs_semaphore_executed(run, thread, kind, object, site);
	else
		rfs_lock_executed(run, thread, kind, operations[operand].type, object, site);
}
