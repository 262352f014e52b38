/*
 * ahead.c - operations without a stop, where the policy has said beforehand that the thread goes on (struct
 * rfs_choice).
 *
 * The thread is lent so many operations when it is let go. Stubs at the entries of the mutex functions (lock_calls.h)
 * then record calls in place of stopping, and what would have been done at those stops is done when the records are
 * taken: at the next stop, before anything else. The outcome is the same, down to the hash of the operations, because
 * nothing but this thread changes anything in between: all others are parked. A mutex that it takes is free, one that
 * it gives up is its own; and where the hint depends on the others, none of them stands before anything that those, or
 * the time, could change.
 */
#include "supervisor/input.h"
#include "supervisor/run-priv.h"
#include "tracer/patch.h"

/* Two records each: a quarter of the buffer. */
#define LENT_MAX 2048

/* It waits for a signal, and for nothing else yet: what comes after that is a matter of the mutex. */
static bool is_asleep(const struct rfs_run *run, const struct rfs_thread *thread)
{
	return !thread->wait.signalled && !(thread->cancel_pending && !thread->cancel_disabled) &&
	       !rfs_ready_timed(run, false, thread->deadline);
}

/* Whether what can be chosen of a parked thread depends on neither memory nor anything outside. */
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

/* When time alone changes what can be chosen of it. RFS_NEVER: it does not. */
static uint64_t changes_at(const struct rfs_run *run, const struct rfs_thread *thread)
{
	const uint64_t race = (uint64_t)(run->spec->sleep_race * (double)RFS_NANOS), deadline = thread->deadline;

	if (deadline == RFS_NEVER || deadline <= run->now)
		return RFS_NEVER;
	return deadline - run->now > race ? deadline - race : deadline;
}

/* How many operations the thread can execute before another one may be looked at with another result. */
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

/* Nobody is in the kernel, from where it may come back at any time, or still on its way to its first stop. */
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

void rfs_ahead_lend(struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_run_spec *spec = run->spec;
	uint64_t n = smaller(run->hint.left, LENT_MAX);

	if (!run->lends || !n || run->hint.thread != thread->number || thread->yielded)
		return;
	/* what happens before each choice, and need not be about this thread */
	if (run->signals || run->n_timers || run->n_foreign || run->loopback || rfs_input_replays(run) ||
	    spec->clock_real || !rfs_trace_can_wait(run) || !others_are_parked(run, thread))
		return;
	if (spec->step_limit)
		n = smaller(n, spec->step_limit > run->result->steps ? spec->step_limit - run->result->steps - 1 : 0);
	if (n && run->hint.steady)
		n = smaller(n, steady_for(run, thread));
	rfs_records_lend(thread->task, (int32_t)n, (uint32_t)thread->tid);
}

void rfs_ahead_recorded(struct rfs_run *run, struct rfs_thread *thread, bool locks, rfs_addr mutex)
{
	/* its own calls are none of the program's operations */
	if (rfs_call_is_internal(run, thread->caller))
		return;
	if (run->hint.thread == thread->number && run->hint.left)
		run->hint.left--;
	run->result->steps_recorded++;
	rfs_input_chosen(run);
	rfs_advance(run, run->now + RFS_OPERATION_NANOS);
	rfs_lock_executed(run, thread, locks, mutex, rfs_site_of(run, thread->caller));
}
