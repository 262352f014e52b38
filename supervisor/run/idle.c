/*
 * idle.c - what happens when no thread can be picked, and how virtual time passes.
 *
 * If no thread can be picked, rfsup first waits for threads in the kernel, and for input from outside. Then virtual
 * time jumps to the next moment at which something is due. If nothing is due, the run ends as a deadlock. A policy may
 * also let virtual time pass while threads can be picked, or give the outside a moment of real time. What the outside
 * does then is recorded like any other input, with the number of the next choice, so a replay need not wait.
 */
#include "supervisor/run/idle.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "policy/policy.h"
#include "supervisor/base/asleep/sleeping_forever.h"
#include "supervisor/kernel/calls/blocking.h"
#include "supervisor/kernel/child_waits.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/kernel/own_pipes.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/pump.h"
#include "supervisor/run/stops/children.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/deadlock.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* Real time that the outside gets before virtual time jumps, and that sleeping children get at most. */
#define OUTSIDE_MS 20
#define CHILDREN_MS 2000

/* Real time between two looks whether children sleep for good. A multiple of the slices in which a run waits. */
#define CHILDREN_LOOK_MS 50

/* Real time that the outside gets for one choice of a policy. Short, so that sleeping threads are drawn in between. */
#define OUTSIDE_SLICE_MS 5

/* The next deadline after this moment. */
static uint64_t deadline_after(const struct rfs_run *run, uint64_t moment)
{
	uint64_t earliest = RFS_NEVER;

	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t->state == RFS_STATE_PARKED && t->deadline > moment && t->deadline < earliest)
			earliest = t->deadline;
	}
	return earliest;
}

static bool anybody(const struct rfs_run *run, enum rfs_thread_state state)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->state == state)
			return true;
	return false;
}

/*
 * Whether a thread waits on memory that is shared with another process. The other process may end the wait, unless
 * rfsup itself carries out a wait at a condition variable.
 */
static bool waits_on_shared(const struct rfs_run *run)
{
	struct rfs_mapping mapping;

	if (rfs_family_any(run) && !run->n_children)
		return false;
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t->state == RFS_STATE_PARKED && t->next.object && t->next.kind != RFS_OP_COND_WAKE &&
		    rfs_space_mapping(rfs_task_space(t->task), t->next.object, &mapping) && mapping.shared)
			return true;
	}
	return false;
}

/*
 * Whether a thread is in the kernel, or has returned from there beside the schedule and still runs. In a replay, a
 * thread that only waits for its recorded return does not count.
 */
static bool anybody_in_kernel(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		const enum rfs_thread_state state = run->threads[i]->state;

		if (state == RFS_STATE_RUNNING ||
		    (state == RFS_STATE_KERNEL && !rfs_kernel_holds_back(run->threads[i])))
			return true;
	}
	return false;
}

bool rfs_driver_ended(struct rfs_run *run)
{
	struct pollfd end = {.fd = run->spec->drive_fd, .events = POLLIN};
	int status;

	if (!run->spec->driven || run->loop.driver_ended || poll(&end, 1, 0) <= 0)
		return false;
	run->loop.driver_ended = true;
	if (read(run->spec->drive_fd, &status, sizeof(status)) == sizeof(status))
		run->result->driver_status = status;
	run->result->driver_reached = (run->result->nondet.kinds & RFS_NONDET_RECORDED) != 0;
	rfs_input_signal(run, SIGTERM);
	return true;
}

/* Whether the thread is in a call whose result comes from outside the target, and waits there. */
static bool waits_for_outside(const struct rfs_thread *thread)
{
	if (!thread->task || !thread->call || !thread->call->from_outside)
		return false;
	return thread->state == RFS_STATE_KERNEL ||
	       (thread->state == RFS_STATE_PARKED && thread->next.kind == RFS_OP_SYSCALL &&
		!(thread->flags & RFS_THREAD_ENABLED));
}

bool rfs_outside_can_act(const struct rfs_run *run)
{
	if (run->spec->job.drive && !run->result->told_to_end)
		return true;
	for (size_t i = 0; i < run->n_threads; i++)
		if (waits_for_outside(run->threads[i]))
			return true;
	return false;
}

/* Whether there is somebody outside who may act. A replay needs the same choices, so the view cannot depend on this. */
static bool is_anybody_outside(struct rfs_run *run)
{
	if (run->n_children || (run->spec->driven && !run->loop.driver_ended))
		return true;
	for (size_t i = 0; i < run->n_threads; i++)
		if (waits_for_outside(run->threads[i]) && rfs_own_pipes_is_shared(run, run->threads[i]))
			return true;
	return false;
}

static bool any_is_answered(struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];

		rfs_family_turn(run, t);
		if (t->state == RFS_STATE_PARKED && waits_for_outside(t) && (t->ready(run, t) & RFS_THREAD_ENABLED)) {
			rfs_family_turn(run, NULL);
			return true;
		}
	}
	rfs_family_turn(run, NULL);
	return false;
}

void rfs_outside_acts(struct rfs_run *run)
{
	if (rfs_input_replays(run)) {
		(void)rfs_input_outside(run, run->time.now);
		return;
	}
	if (!is_anybody_outside(run))
		return;
	for (int waited = 0; !run->ended && waited < OUTSIDE_SLICE_MS; waited++) {
		if (rfs_pump(run, 1))
			return;
		rfs_target_memory_forget(run);
		rfs_look_around(run);
		if (any_is_answered(run) || rfs_driver_ended(run))
			return;
	}
}

/* The next virtual time at which something happens by itself: a timer expires, or the wait of a child ends. */
static uint64_t next_event(const struct rfs_run *run)
{
	const uint64_t timer = rfs_timers_next(run), child = rfs_child_waits_next(run);

	return timer < child ? timer : child;
}

static void pass_until(struct rfs_run *run, uint64_t timer, uint64_t deadline)
{
	run->result->counts.timeouts++;
	if (timer <= deadline)
		rfs_advance(run, timer);
	else
		run->time.horizon = deadline;
}

/* The next deadline that a policy cannot choose yet. */
static uint64_t closed_deadline(const struct rfs_run *run)
{
	uint64_t open = run->time.now + rfs_sleep_race(run);

	return deadline_after(run, open > run->time.horizon ? open : run->time.horizon);
}

uint64_t rfs_time_next(const struct rfs_run *run)
{
	const uint64_t timer = rfs_timers_next(run), deadline = closed_deadline(run);

	return timer < deadline ? timer : deadline;
}

void rfs_time_passes(struct rfs_run *run)
{
	rfs_target_memory_forget(run);
	pass_until(run, rfs_timers_next(run), closed_deadline(run));
}

/*
 * How many milliseconds of real time the outside gets if something is due in virtual time. Children sleep in real time,
 * so while one does, a timeout takes as long as without rfsup.
 */
static int patience_with(const struct rfs_run *run, uint64_t due)
{
	uint64_t left = due > run->time.now ? (due - run->time.now) / (RFS_NANOS / 1000) : 0;

	if (left <= OUTSIDE_MS || !run->n_children || !rfs_children_sleep(run))
		return OUTSIDE_MS;
	return left < CHILDREN_MS ? (int)left : CHILDREN_MS;
}

/* Whether the threads wait for each other, and for children that sleep for good. Then the run ends as a deadlock. */
static bool is_own_deadlock(struct rfs_run *run, uint64_t due, struct rfs_asleep *children)
{
	if (due != RFS_NEVER || waits_on_shared(run) || !rfs_own_pipes_deadlock(run, children))
		return false;
	rfs_deadlock_all(run);
	return true;
}

void rfs_idle(struct rfs_run *run)
{
	/* deadlines up to the horizon are open to choice already, and enabled no thread */
	uint64_t timer = next_event(run), deadline = deadline_after(run, run->time.horizon);
	uint64_t due = timer < deadline ? timer : deadline;
	bool kernel = anybody_in_kernel(run);
	bool outside = rfs_child_may_signal(run) ||
		       (!rfs_input_replays(run) && (rfs_blocking_any(run) || waits_on_shared(run)));
	struct rfs_asleep children = {0};

	rfs_target_memory_forget(run);
	if (!anybody(run, RFS_STATE_PARKED) && !anybody(run, RFS_STATE_KERNEL)) {
		/* no thread is left, but the end of the leader or of the process is not reported yet */
		(void)rfs_pump(run, -1);
		return;
	}
	if ((kernel || outside) && is_own_deadlock(run, due, &children))
		return;
	if (kernel && due == RFS_NEVER && !rfs_children_sleep(run) && rfs_input_outside(run, RFS_NEVER))
		return;
	if (kernel || outside || (due != RFS_NEVER && rfs_children_sleep(run))) {
		bool paced = due != RFS_NEVER;
		int slice = paced ? 2 : 10, patience = paced ? patience_with(run, due) : 0;

		for (int waited = 0; !run->ended && (!paced || waited < patience); waited += slice) {
			/* a child needs its stops to be taken, so that it can do what a thread waits for */
			if ((kernel || run->n_children) && rfs_pump(run, outside ? 1 : slice))
				return;
			if (outside && rfs_blocking_idle(run, slice))
				return;
			rfs_look_around(run);
			if (rfs_driver_ended(run))
				return;
			if (run->n_children && waited % CHILDREN_LOOK_MS == 0 && is_own_deadlock(run, due, &children))
				return;
			if (!run->n_children && !kernel && paced && (!run->spec->driven || run->loop.driver_ended))
				break;
		}
		if (run->ended)
			return;
	}
	if ((due != RFS_NEVER || rfs_blocking_any(run)) && rfs_input_idle(run, due != timer, due))
		return;
	if (due != RFS_NEVER) {
		pass_until(run, timer, deadline);
		return;
	}
	if (kernel || outside)
		return;
	rfs_deadlock_all(run);
}
