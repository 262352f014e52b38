/*
 * stopless_locks.c - mutex calls that execute without a stop, because a hint of the policy covers them (struct
 * rfs_choice).
 *
 * When a thread is resumed, it is lent a number of operations. Stubs at the entries of the mutex functions
 * (access/lock_calls.h) then record the calls and do not stop. At the next stop, before anything else,
 * rfs_stopless_recorded() does for each record what a stop at that call would have done.
 *
 * The result is the same as with stops, down to the hash of the operations. All other threads are parked, so only this
 * thread changes anything. It locks only free mutexes, and unlocks only mutexes that it holds. If the hint depends on
 * the other threads, operations are lent only as long as neither these mutexes nor time can enable another thread.
 *
 * In one case operations are lent without a hint. If only one thread can be picked, some policies need not be asked
 * (RFS_POLICY_SINGLE). The thread is then lent the unlock of the mutex that all other threads wait for.
 */
#include "supervisor/run/stopless_locks.h"

#include "disasm/addr.h"
#include "disasm/rewrite/stub.h"
#include "policy/policy.h"
#include "supervisor/access/lock_calls.h"
#include "supervisor/access/stubs.h"
#include "supervisor/kernel/input.h"
#include "supervisor/kernel/loopback.h"
#include "supervisor/kernel/timers.h"
#include "supervisor/model/sync.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/trace.h"
#include "supervisor/state/virtual_time.h"
#include "supervisor/sync/pthread_calls.h"
#include "supervisor/sync/pthread_lock.h"
#include "tracer/stub_buffer.h"

/*
 * The largest number of operations to lend. Each operation takes two records, so the lent operations fill at most a
 * quarter of the stub buffer.
 */
#define LENT_MAX 2048

/*
 * Whether the thread, which is in a condition wait, still waits for the signal. After the signal it waits for the
 * mutex.
 */
static bool is_asleep(const struct rfs_run *run, const struct rfs_thread *thread)
{
	return !thread->sync.cond.signalled && !rfs_sync_cancelled(&thread->sync) &&
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
		return is_asleep(run, thread);
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
	const uint64_t race = (uint64_t)(run->spec->sleep_race * (double)RFS_NANOS), deadline = thread->deadline;

	if (deadline == RFS_NEVER || deadline <= run->now)
		return RFS_NEVER;
	return deadline - run->now > race ? deadline - race : deadline;
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
	if (alive != run->n_steady)
		return 0;
	return until == RFS_NEVER ? LENT_MAX : (until - run->now - 1) / RFS_OPERATION_NANOS;
}

/*
 * The mutex that t waits for, if t waits for a mutex and nothing else. 0: t does not wait for a mutex, or also for
 * something else.
 */
static rfs_addr mutex_of(const struct rfs_run *run, const struct rfs_thread *t)
{
	if (t->next.kind == RFS_OP_LOCK && t->deadline == RFS_NEVER)
		return t->next.object;
	return t->next.kind == RFS_OP_COND_WAKE && !is_asleep(run, t) ? t->sync.cond.mutex : 0;
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
				     changes_at(run, t) <= run->now + 2 * RFS_OPERATION_NANOS)
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
	uint64_t n = run->hint.thread == thread->number ? smaller(run->hint.left, LENT_MAX) : 0;

	return n && run->hint.steady ? smaller(n, steady_for(run, thread)) : n;
}

void rfs_stopless_lend(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_run_spec *spec = run->spec;
	const bool single = (spec->policy->flags & RFS_POLICY_SINGLE) && run->current == thread->number;
	struct rfs_stub_lent lent = {.self = (uint32_t)thread->tid};
	uint64_t n, limit;

	if (!rfs_stubs_lend(run) || thread->yielded || !(run->hint.left || single))
		return;
	/*
	 * In these cases, something is checked before each choice that may concern another thread. So no choice may be
	 * left out.
	 */
	if (run->signals || rfs_timers_any(run) || run->n_children || rfs_loopback_in_use(run) ||
	    rfs_input_replays(run) || spec->clock_real || !rfs_trace_can_wait(run) || !others_are_parked(run, thread))
		return;
	limit = spec->step_limit ? spec->step_limit - smaller(spec->step_limit, run->result->counts.steps + 1)
				 : LENT_MAX;
	n = smaller(covered(run, thread), limit);
	if (n > 1) {
		lent.calls[RFS_LENT_LOCKS] = lent.calls[RFS_LENT_UNLOCKS] = (int32_t)(n / 2);
	} else if (single && limit && (lent.only = held_from_all(run, thread)) != 0) {
		lent.calls[RFS_LENT_UNLOCKS] = 1;
		lent.mask = ~0ull;
		run->hint.left = 0; /* the unlock enables another thread, so the hint no longer holds */
	}
	rfs_stub_buffer_lend(thread->task, &lent);
}

void rfs_stopless_recorded(struct rfs_run *run, struct rfs_thread *thread, bool locks, rfs_addr mutex)
{
	/* calls that the C library makes for itself are not operations of the program */
	if (rfs_call_is_internal(run, thread->caller))
		return;
	if (run->hint.thread == thread->number && run->hint.left)
		run->hint.left--;
	run->result->counts.steps_recorded++;
	rfs_input_chosen(run);
	rfs_advance(run, run->now + RFS_OPERATION_NANOS);
	rfs_lock_executed(run, thread, locks, mutex, rfs_site_of(run, thread->caller));
}
