/*
 * run.c - the main loop of one controlled run (Sen, ASE 2007, figure 3, generalised).
 *
 * While a thread is enabled, the policy picks one. The thread executes the operation that it is parked at, and the loop
 * waits until the thread is parked at its next operation.
 */
#include "supervisor/run/run.h"

#include <string.h>

#include "policy/core/hint.h"
#include "policy/policy.h"
#include "policy/samplers/schedule.h"
#include "supervisor/access/hot_statements.h"
#include "supervisor/access/quarantine.h"
#include "supervisor/access/same_vptr.h"
#include "supervisor/access/store_buffers.h"
#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/child_waits.h"
#include "supervisor/kernel/descriptors/loopback.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/run/follow_end.h"
#include "supervisor/run/idle.h"
#include "supervisor/run/pump.h"
#include "supervisor/run/stops/child_turns.h"
#include "supervisor/run/stops/handlers.h"
#include "supervisor/run/stops/quiesce.h"
#include "supervisor/run/stops/resume.h"
#include "supervisor/run/stops/signal_stops.h"
#include "supervisor/run/view.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/deadlock.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/operations/faults.h"
#include "supervisor/state/operations/invariants.h"
#include "supervisor/sync/pthread_cond.h"
#include "tracer/tracer.h"

/* A thread that sleeps for a millisecond in a loop executes a few operations in each round. */
#define WAITING_NANOS (20 * RFS_NANOS / 1000000)

/*
 * With a load driver: whether the program only waits for it. The program has got no signal to end yet, and its threads
 * mostly sleep: so much virtual time passes for each step. A client that is slow is not a hang of the program. If the
 * client never ends, the run ends at its timeout.
 */
static bool waits_for_driver(const struct rfs_run *run)
{
	return run->spec->job.drive && !run->result->told_to_end &&
	       run->time.now / WAITING_NANOS >= run->result->counts.steps;
}

static bool steps_used_up(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;
	const uint64_t steps = run->result->counts.steps;
	uint64_t free_ones = run->spin_reads < spec->limits.spin_free ? run->spin_reads : spec->limits.spin_free;

	if (!spec->limits.steps || steps - run->loop.waited_steps - free_ones < spec->limits.steps)
		return false;
	if (!waits_for_driver(run))
		return true;
	run->loop.waited_steps = steps - free_ones;
	return false;
}

static bool embryos(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->state == RFS_STATE_EMBRYO)
			return true;
	return false;
}

/*
 * Clears run->loop.falls_asleep if that thread has stopped, or sleeps in its system call. stop: a stop was just
 * handled. Whether the thread sleeps is then checked only after the next wait.
 */
static void see_asleep(struct rfs_run *run, bool stop)
{
	const struct rfs_thread *t = run->loop.falls_asleep;

	if (t && (t->state != RFS_STATE_KERNEL || (!stop && rfs_task_state(t->task) == 'S')))
		run->loop.falls_asleep = NULL;
}

/* If all threads that were woken are quiescent, resumes the threads whose member `settles` is set. */
static void see_settled(struct rfs_run *run)
{
	bool moves, any = false;

	if (!run->loop.settling)
		return;
	moves = rfs_threads_move(run);
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];

		if (!t->settles)
			continue;
		t->settles = moves && t->task && t->state == RFS_STATE_RUNNING;
		any = any || t->settles;
		if (!moves && t->task && t->state == RFS_STATE_RUNNING)
			(void)rfs_resume(run, t, RFS_THEN_EXECUTE);
	}
	run->loop.settling = any;
}

/* Waits until no thread that we resumed is running. */
static void park_all(struct rfs_run *run)
{
	while (!run->ended && (run->running || run->loop.dying || run->loop.leaving || run->loop.settling ||
			       run->loop.falls_asleep || embryos(run))) {
		const bool looks = run->loop.settling || run->loop.falls_asleep || rfs_child_turns_wait(run);
		int stop = rfs_pump(run, looks ? 1 : -1);

		see_asleep(run, stop == 1);
		see_settled(run);
		rfs_child_turns_pass(run);
	}
}

/* Waits until the target is quiescent. */
static void run_settle(struct rfs_run *run)
{
	struct rfs_quiesce quiesce = {0};

	do {
		park_all(run);
		while (!run->ended && !rfs_is_quiescent(run, &quiesce)) {
			rfs_child_turns_pass(run);
			(void)rfs_pump(run, 1);
			park_all(run);
		}
	} while (!run->ended && rfs_loopback_arrive(run));
}

static bool run_sound(struct rfs_run *run, const struct rfs_choice *choice)
{
	const char *name = run->spec->policy->name;
	unsigned long long step = run->result->counts.steps;
	struct rfs_thread *t;

	if (rfs_stores_is_buffer(run, choice->thread))
		return true;
	if (choice->thread < 0 || (size_t)choice->thread >= run->n_threads) {
		rfs_run_uncontrolled(run, "policy %s picked thread %d, which does not exist, at step %llu", name,
				     choice->thread, step);
		return false;
	}
	t = run->threads[choice->thread];
	if ((t->state != RFS_STATE_PARKED && !rfs_handler_is_idle(t)) ||
	    !(t->flags & (choice->outcome == RFS_OUTCOME_TIMED_OUT ? RFS_THREAD_CAN_TIME_OUT : RFS_THREAD_ENABLED)) ||
	    (choice->outcome == RFS_OUTCOME_FAULT && !(t->flags & RFS_THREAD_CAN_FAIL))) {
		rfs_run_uncontrolled(run, "policy %s picked thread %d, which is not enabled, at step %llu", name,
				     choice->thread, step);
		return false;
	}
	return true;
}

static void store_directive(struct rfs_run *run, const struct rfs_choice *choice)
{
	struct rfs_blob *schedule = &run->result->schedule;
	struct rfs_directive directive = {
		.thread = run->current,
		.choose = choice->thread,
		.at = run->threads[run->current]->operations,
		.outcome = choice->outcome,
		.waiter = choice->waiter,
	};

	schedule->data = xrealloc(schedule->data, schedule->size + sizeof(directive));
	memcpy((char *)schedule->data + schedule->size, &directive, sizeof(directive));
	schedule->size += sizeof(directive);
}

/*
 * If the choice preempts a thread, counts the preemption. If the spec asks for the schedule, and the choice differs
 * from the default choice of the policy "schedule", stores the choice.
 */
static void note_choice(struct rfs_run *run, const struct rfs_view *view, const struct rfs_choice *choice)
{
	const struct rfs_thread_view *usual = rfs_schedule_default(view, run->current);

	if (usual && usual->thread == run->current && choice->thread != run->current)
		run->result->counts.preemptions++;
	if (!run->spec->wanted.schedule ||
	    (usual && usual->thread == choice->thread && !rfs_stores_is_buffer(run, usual->thread) &&
	     choice->waiter < 0 && rfs_schedule_outcome(usual) == choice->outcome))
		return;
	store_directive(run, choice);
}

/* Lets virtual time pass. That a timer expires follows from no choice of a thread, so this choice is stored then. */
static void pass_time(struct rfs_run *run, const struct rfs_choice *choice)
{
	if (run->spec->wanted.schedule && rfs_timers_next(run) <= rfs_time_next(run))
		store_directive(run, choice);
	rfs_time_passes(run);
}

static void run_execute(struct rfs_run *run, const struct rfs_choice *choice)
{
	struct rfs_thread *t;
	enum rfs_then then = RFS_THEN_UNDECIDED;

	rfs_invariants_check(run);
	if (rfs_stores_is_buffer(run, choice->thread)) {
		rfs_advance(run, run->time.now + RFS_OPERATION_NANOS);
		rfs_stores_execute(run, choice->thread);
		return;
	}
	t = run->threads[choice->thread];
	rfs_gdb_chosen(run, choice);
	if (run->ended)
		return;
	rfs_family_turn(run, t);
	run->result->counts.timeouts += choice->outcome == RFS_OUTCOME_TIMED_OUT;
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT && t->deadline != RFS_NEVER)
		rfs_advance(run, t->deadline);
	rfs_advance(run, run->time.now + RFS_OPERATION_NANOS);
	rfs_stores_show(run, t);
	if (run->signals && !rfs_handler_is_idle(t))
		then = rfs_deliver_pending(run, t);
	/*
	 * If only a signal had enabled this thread, and another thread has taken the signal since, there is nothing to
	 * execute.
	 */
	if (!then && !(t->flags & RFS_THREAD_BY_SIGNAL))
		then = rfs_quarantine_call(run, t, choice) ? RFS_THEN_EXECUTE : t->go(run, t, choice);
	(void)rfs_resume(run, t, then);
	rfs_stores_hide(run, t);
	rfs_family_turn(run, NULL);
}

/* Stores the hint of a choice. If the hint is steady, also stores the flags that the threads have in this view. */
static void take_hint(struct rfs_run *run, const struct rfs_view *view, const struct rfs_choice *choice)
{
	run->loop.hint = (struct rfs_hint){choice->thread, choice->hint, choice->steady};
	run->loop.n_steady = view->n_threads;
	for (size_t i = 0; i < view->n_threads && choice->hint && choice->steady; i++) {
		const int number = view->threads[i].thread;

		if (!rfs_stores_is_buffer(run, number))
			run->threads[number]->steady_flags = run->threads[number]->flags;
	}
}

/* Whether the other threads have the same flags as at the choice that gave the hint. Computes their flags. */
static bool is_steady(struct rfs_run *run)
{
	struct rfs_run_view view;

	if (run->signals)
		return false;
	rfs_build_view(run, &view);
	if (view.view.n_threads != run->loop.n_steady)
		return false;
	for (size_t i = 0; i < view.view.n_threads && !rfs_stores_is_buffer(run, view.view.threads[i].thread); i++) {
		const struct rfs_thread *t = run->threads[view.view.threads[i].thread];

		if (t->number != run->loop.hint.thread && t->flags != t->steady_flags)
			return false;
	}
	return true;
}

/*
 * Lets the thread of the last choice continue without asking the policy, if the policy's hint covers its next
 * operation. The thread must be enabled and must not have yielded. The flags of the other threads are computed only if
 * the hint depends on them. The policy "schedule" would make the same choice, so note_choice() is not called. Returns
 * false if the policy has to be asked.
 */
static bool run_go_on(struct rfs_run *run)
{
	const struct rfs_choice choice = {.thread = run->loop.hint.thread, .waiter = -1, .race = {-1, -1}};
	struct rfs_thread_view view = {.thread = run->loop.hint.thread};
	struct rfs_thread *t;

	if (rfs_stores_wait(run))
		run->loop.hint.left = 0;
	if (!run->loop.hint.left)
		return false;
	t = run->threads[run->loop.hint.thread];
	if (run->faults && rfs_fault_can_happen(t)) {
		run->loop.hint.left = 0;
		return false;
	}
	rfs_family_turn(run, t);
	t->flags = t->state == RFS_STATE_PARKED && !t->yielded ? t->ready(run, t) : 0;
	rfs_family_turn(run, NULL);
	view.flags = t->flags;
	view.next = t->next;
	if (!rfs_hint_holds(&run->loop.hint, &view, rfs_cond_is_waited_for(run)) ||
	    (run->loop.hint.steady && !is_steady(run))) {
		run->loop.hint.left = 0;
		return false;
	}
	run->loop.hint.left--;
	rfs_input_chosen(run);
	run_execute(run, &choice);
	return true;
}

static void run_pick(struct rfs_run *run, struct rfs_run_view *view)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_choice choice = {.thread = -1, .waiter = -1, .race = {-1, -1}};
	int error;

	rfs_input_chosen(run);
	error = spec->policy->pick(run->policy, &view->view, &choice);

	if (error) {
		rfs_run_uncontrolled(run, "policy %s failed at step %llu: %s", spec->policy->name,
				     (unsigned long long)run->result->counts.steps, strerror(-error));
		return;
	}
	if (choice.thread == RFS_TIME_PASSES && view->view.time_can_pass) {
		pass_time(run, &choice);
		return;
	}
	if (choice.thread == RFS_OUTSIDE_ACTS && view->view.outside) {
		rfs_outside_acts(run);
		return;
	}
	if (!run_sound(run, &choice))
		return;
	if (choice.race[0] >= 0 && !rfs_handler_race(run, &choice) && !rfs_race_is_of_same_vptr(run, &choice))
		rfs_evidence_race(run, &choice);
	if (run->faults && !rfs_stores_is_buffer(run, choice.thread))
		rfs_fault_decide(run, &choice);
	note_choice(run, &view->view, &choice);
	if (!rfs_stores_is_buffer(run, choice.thread)) {
		run->current = choice.thread;
		take_hint(run, &view->view, &choice);
	}
	run_execute(run, &choice);
}

static void loop(struct rfs_run *run)
{
	struct rfs_run_view view;

	size_t choosable;

	while (!run->ended) {
		run_settle(run);
		if (run->ended)
			break;
		rfs_look_around(run);
		if (!run->ended && steps_used_up(run)) {
			rfs_describe_threads(run, &run->result->threads);
			rfs_run_end(run, RFS_END_HANG, 1);
		}
		if (run->ended)
			break;
		/*
		 * If a timer's signal wakes a thread in the kernel, that thread must stop before another thread is
		 * resumed.
		 */
		if (rfs_timers_fire(run) || rfs_child_waits_end_due(run))
			continue;
		if (rfs_input_due(run) || rfs_driver_ended(run))
			continue;
		if (run->ended)
			break;
		if (run_go_on(run))
			continue;
		choosable = rfs_build_view(run, &view);
		if (choosable > 1)
			rfs_hot_choice(run);
		if (choosable)
			run_pick(run, &view);
		else
			rfs_idle(run);
	}
}

void rfs_run_loop(struct rfs_run *run)
{
	rfs_ticks_start();
	rfs_run_dump_on_bug(run);
	while (!run->ended && run->n_threads == 0)
		(void)rfs_pump(run, -1);
	loop(run);
	rfs_child_turns_free(run);
	rfs_child_waits_end_all(run);
	rfs_follow_finish(run);
	rfs_processes_finish(run);
	rfs_gdb_ended(run);
	rfs_run_dump_on_bug(NULL);
	rfs_ticks_stop();
}
