/*
 * run.c - the loop of one controlled run (Sen, ASE 2007, figure 3, generalised): while some thread is enabled, let the
 * policy pick one, let it execute the operation that it is parked before, and wait until it stands before the next.
 */
#include "supervisor/run/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/core/hint.h"
#include "policy/policy.h"
#include "policy/samplers/schedule.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/kernel/blocking.h"
#include "supervisor/kernel/input.h"
#include "supervisor/kernel/loopback.h"
#include "supervisor/kernel/signals.h"
#include "supervisor/kernel/timers.h"
#include "supervisor/run/follow_run.h"
#include "supervisor/run/quiesce.h"
#include "supervisor/run/spin.h"
#include "supervisor/run/stops.h"
#include "supervisor/state/deadlock.h"
#include "supervisor/state/evidence.h"
#include "supervisor/state/outcome.h"
#include "supervisor/state/park.h"
#include "supervisor/state/run_result.h"
#include "supervisor/state/run_spec.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/stable_names.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"
#include "supervisor/state/virtual_time.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/* Of a thread's flags, beside those of the policies: a pending signal is all that enables it. */
#define BY_SIGNAL (1u << 31)
/* CPU time of the target that an operation may take beside the limit: some five times what a stop takes. */
#define OPERATION_CPU_SECONDS 2e-5

static volatile sig_atomic_t tick;

static void on_tick(int signo)
{
	(void)signo;
	tick = 1;
}

/*
 * Operations and accesses that stop are not paid for by the CPU limit, which comes from runs that had fewer of them
 * (plain ones; those that do not stop at a pair); how many operations there are has a limit of its own.
 */
static bool cpu_used_up(const struct rfs_run *run)
{
	const struct rfs_run_result *result = run->result;
	double stopped = OPERATION_CPU_SECONDS * (double)(result->steps + result->accesses - result->recorded);

	return run->spec->cpu_limit > 0 && rfs_tracer_cpu_seconds(run->tracer) > run->spec->cpu_limit + stopped;
}

static bool steps_used_up(const struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;
	uint64_t free_ones = run->spin_reads < spec->spin_free ? run->spin_reads : spec->spin_free;

	return spec->step_limit && run->result->steps - free_ones >= spec->step_limit;
}

bool rfs_run_may_go_on(struct rfs_run *run)
{
	const struct rfs_run_spec *spec = run->spec;
	struct pollfd cancel = {.fd = spec->cancel_fd, .events = POLLIN};

	if (spec->cancel_fd >= 0 && poll(&cancel, 1, 0) > 0) {
		rfs_run_end(run, RFS_END_CANCELLED, 0);
	} else if (spec->timeout > 0 && rfs_clock() - run->started > spec->timeout) {
		rfs_describe_threads(run, &run->result->threads, &run->result->n_threads);
		rfs_run_end(run, RFS_END_TIMEOUT, 0);
	}
	return !run->ended;
}

/* Limits and the watchdog, every RFS_TICK_USEC. */
static void look_around(struct rfs_run *run)
{
	tick = 0;
	if (!rfs_run_may_go_on(run))
		return;
	if (cpu_used_up(run)) {
		rfs_stop_running(run);
		if (run->ended)
			return;
		rfs_describe_threads(run, &run->result->threads, &run->result->n_threads);
		rfs_run_end(run, RFS_END_HANG, 0);
		return;
	}
	rfs_watchdog(run);
	rfs_gdb_look(run);
}

/* Handles one stop, or a tick. */
static void wait_for_stop(struct rfs_run *run, int timeout_ms)
{
	struct rfs_stop stop;
	int got;

	if (tick) {
		look_around(run);
		if (run->ended)
			return;
	}
	got = rfs_tracer_wait(run->tracer, timeout_ms, &stop);
	if (got == -ECHILD) {
		rfs_run_uncontrolled(run, "the program disappeared without an exit status");
		return;
	}
	if (got < 0) {
		rfs_run_uncontrolled(run, "cannot wait for the program: %s", strerror(-got));
		return;
	}
	if (got == 1) {
		run->result->stops++;
		rfs_handle_stop(run, &stop);
	}
}

static bool embryos(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->state == RFS_STATE_EMBRYO)
			return true;
	return false;
}

/* Until nobody runs any more whom we let run. */
static void park_all(struct rfs_run *run)
{
	while (!run->ended && (run->running || run->dying || embryos(run)))
		wait_for_stop(run, -1);
}

/* Until nobody runs any more. */
static void settle(struct rfs_run *run)
{
	struct rfs_quiesce quiesce = {0};

	do {
		park_all(run);
		while (!run->ended && !rfs_is_quiescent(run, &quiesce)) {
			wait_for_stop(run, 1);
			park_all(run);
		}
	} while (!run->ended && run->loopback && rfs_loopback_arrive(run->loopback));
}

struct run_view {
	struct rfs_view view;
	struct rfs_run *run;
};

static size_t view_stack(const struct rfs_view *view, int thread, rfs_addr *out, size_t max)
{
	const struct run_view *own = (const struct run_view *)view;
	struct rfs_thread *t = own->run->threads[thread];

	if (!t->task || t->state != RFS_STATE_PARKED || max == 0)
		return 0;
	if (t->next.kind == RFS_OP_START && t->routine) {
		out[0] = t->routine + 1;
		return 1;
	}
	return rfs_thread_stack(t, out, max);
}

static uint64_t view_function(const struct rfs_view *view, rfs_addr address)
{
	return rfs_function_name(((const struct run_view *)view)->run, address);
}

static uint64_t lock_class(const struct rfs_run *run, struct rfs_thread *t)
{
	const enum rfs_op_kind kind = t->next.kind;

	if (kind != RFS_OP_LOCK && kind != RFS_OP_RDLOCK && kind != RFS_OP_WRLOCK)
		return 0;
	if (!t->lock_class)
		t->lock_class = rfs_lock_class(run, t->next.object);
	return t->lock_class;
}

/* Computes every thread's flags. Returns how many can be picked. */
static size_t build_view(struct rfs_run *run, struct run_view *out)
{
	size_t n = 0, choosable = 0;
	unsigned long pending;

	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];
		struct rfs_thread_view *v = &run->view[n];

		if (t->state == RFS_STATE_ENDED || !t->task)
			continue;
		t->flags = 0;
		if (t->state == RFS_STATE_PARKED) {
			t->flags = t->ready(run, t);
			if (run->signals && !(t->flags & RFS_THREAD_ENABLED) && rfs_signal_waits(run, t, &pending))
				t->flags |= RFS_THREAD_ENABLED | BY_SIGNAL;
			if (t->yielded && (t->flags & RFS_THREAD_ENABLED))
				t->flags |= RFS_THREAD_YIELDED;
			if (t->next.kind == RFS_OP_COND_WAKE ? t->wait.signalled
							     : t->next.kind == RFS_OP_FUTEX_SLEEP && t->futex_awake)
				t->flags |= RFS_THREAD_WOKEN;
		}
		*v = (struct rfs_thread_view){.thread = t->number, .flags = t->flags & ~BY_SIGNAL, .next = t->next};
		if (t->state != RFS_STATE_PARKED)
			v->next = rfs_op_make(RFS_OP_KERNEL, 0, 0);
		else if (run->spec->policy->flags & RFS_POLICY_NEEDS_HEAP)
			v->lock_class = lock_class(run, t);
		if (t->flags & (RFS_THREAD_ENABLED | RFS_THREAD_CAN_TIME_OUT))
			choosable++;
		n++;
	}
	*out = (struct run_view){
		.view = {.step = run->result->steps,
			 .n_threads = n,
			 .threads = run->view,
			 .stack = view_stack,
			 .function = view_function},
		.run = run,
	};
	return choosable;
}

/* The next one that is not open to choice yet: those up to the horizon are, and helped nobody. */
static uint64_t earliest_deadline(const struct rfs_run *run)
{
	uint64_t earliest = RFS_NEVER;

	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t->state == RFS_STATE_PARKED && t->deadline > run->horizon && t->deadline < earliest)
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

/* Another process may end a wait on memory that it shares. */
static bool waits_on_shared(const struct rfs_run *run)
{
	struct rfs_mapping mapping;

	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		if (t->state == RFS_STATE_PARKED && t->next.object &&
		    rfs_space_mapping(rfs_task_space(t->task), t->next.object, &mapping) && mapping.shared)
			return true;
	}
	return false;
}

/* Not one that only waits for its recorded return. */
static bool anybody_in_kernel(const struct rfs_run *run)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->state == RFS_STATE_KERNEL && !run->threads[i]->held_back)
			return true;
	return false;
}

/* The command that drives the target has ended, and that was not known: the target is told to end. */
static bool driver_ended(struct rfs_run *run)
{
	struct pollfd end = {.fd = run->spec->drive_fd, .events = POLLIN};

	if (!run->spec->driven || run->driver_ended || poll(&end, 1, 0) <= 0)
		return false;
	run->driver_ended = true;
	rfs_input_signal(run, SIGTERM);
	return true;
}

/* Nobody can be picked: let the outside act, else let time pass, else it is a deadlock. */
static void idle(struct rfs_run *run)
{
	uint64_t timer = rfs_timers_next(run), deadline = earliest_deadline(run);
	uint64_t due = timer < deadline ? timer : deadline;
	bool kernel = anybody_in_kernel(run);
	bool outside = !rfs_input_replays(run) && (rfs_blocking_any(run) || waits_on_shared(run));

	rfs_target_memory_forget(run);
	if (!anybody(run, RFS_STATE_PARKED) && !anybody(run, RFS_STATE_KERNEL)) {
		wait_for_stop(run, -1); /* the leader ended first, or the end is near */
		return;
	}
	if (kernel || outside) {
		/* With something else to come, the outside gets a moment of real time first. */
		bool paced = due != RFS_NEVER;
		int slice = paced ? 2 : 10;

		for (int waited = 0; !run->ended && (!paced || waited < 20); waited += slice) {
			if (kernel) {
				uint64_t before = run->result->stops;

				wait_for_stop(run, outside ? 1 : slice);
				if (run->result->stops != before)
					return;
			}
			if (outside && rfs_blocking_idle(run, slice))
				return;
			if (tick)
				look_around(run);
			if (driver_ended(run))
				return;
			if (!run->n_foreign && !kernel && paced && (!run->spec->driven || run->driver_ended))
				break;
		}
		if (run->ended)
			return;
	}
	if ((due != RFS_NEVER || rfs_blocking_any(run)) && rfs_input_idle(run, due != timer, due))
		return;
	if (due != RFS_NEVER) {
		if (due == timer)
			rfs_advance(run, due);
		else
			run->horizon = due;
		return;
	}
	if (kernel || outside)
		return;
	rfs_deadlock_all(run);
}

static bool sound(struct rfs_run *run, const struct rfs_choice *choice)
{
	const char *name = run->spec->policy->name;
	unsigned long long step = run->result->steps;
	struct rfs_thread *t;

	if (choice->thread < 0 || (size_t)choice->thread >= run->n_threads) {
		rfs_run_uncontrolled(run, "policy %s picked thread %d, which does not exist, at step %llu", name,
				     choice->thread, step);
		return false;
	}
	t = run->threads[choice->thread];
	if (t->state != RFS_STATE_PARKED ||
	    !(t->flags & (choice->outcome == RFS_OUTCOME_TIMED_OUT ? RFS_THREAD_CAN_TIME_OUT : RFS_THREAD_ENABLED))) {
		rfs_run_uncontrolled(run, "policy %s picked thread %d, which is not enabled, at step %llu", name,
				     choice->thread, step);
		return false;
	}
	return true;
}

/* Notes where the choice is another one than the policy "schedule" would make. */
static void note_choice(struct rfs_run *run, const struct rfs_view *view, const struct rfs_choice *choice)
{
	const struct rfs_thread_view *usual = rfs_schedule_default(view, run->current);
	struct rfs_blob *schedule = &run->result->schedule;
	struct rfs_directive directive = {
		.thread = run->current,
		.choose = choice->thread,
		.at = run->threads[run->current]->operations,
		.outcome = choice->outcome,
		.waiter = choice->waiter,
	};

	if (usual && usual->thread == run->current && choice->thread != run->current)
		run->result->preemptions++;
	if (!run->spec->note_schedule || (usual && usual->thread == choice->thread && choice->waiter < 0 &&
					  rfs_schedule_outcome(usual) == choice->outcome))
		return;
	schedule->data = xrealloc(schedule->data, schedule->size + sizeof(directive));
	memcpy((char *)schedule->data + schedule->size, &directive, sizeof(directive));
	schedule->size += sizeof(directive);
}

static void execute(struct rfs_run *run, const struct rfs_choice *choice)
{
	struct rfs_thread *t = run->threads[choice->thread];

	rfs_gdb_chosen(run, choice);
	if (run->ended)
		return;
	if (choice->outcome == RFS_OUTCOME_TIMED_OUT && t->deadline != RFS_NEVER)
		rfs_advance(run, t->deadline);
	rfs_advance(run, run->now + RFS_OPERATION_NANOS);
	if (run->signals && rfs_deliver_pending(run, t))
		return;
	/* a signal for the whole process that another thread took meanwhile: this one is not enabled any more */
	if (!(t->flags & BY_SIGNAL))
		t->go(run, t, choice);
}

/* The choice that was just made in this view holds for more operations. */
static void take_hint(struct rfs_run *run, const struct rfs_view *view, const struct rfs_choice *choice)
{
	run->hint = (struct rfs_hint){choice->thread, choice->hint, choice->steady};
	run->n_steady = view->n_threads;
	for (size_t i = 0; i < view->n_threads && choice->hint && choice->steady; i++) {
		struct rfs_thread *t = run->threads[view->threads[i].thread];

		t->steady_flags = t->flags;
	}
}

/* Whether the others are what they were at the choice that gave the hint. Computes their flags. */
static bool is_steady(struct rfs_run *run)
{
	struct run_view view;

	if (run->signals)
		return false;
	build_view(run, &view);
	if (view.view.n_threads != run->n_steady)
		return false;
	for (size_t i = 0; i < view.view.n_threads; i++) {
		const struct rfs_thread *t = run->threads[view.view.threads[i].thread];

		if (t->number != run->hint.thread && t->flags != t->steady_flags)
			return false;
	}
	return true;
}

/*
 * The policy said of its last choice that this thread goes on, and it plainly can: without letting time pass, and
 * without having yielded. The policy is not asked, and unless the hint depends on the other threads, they are not
 * looked at. It is what the policy "schedule" would choose as well, so that there is nothing to note.
 */
static bool go_on(struct rfs_run *run)
{
	const struct rfs_choice choice = {.thread = run->hint.thread, .waiter = -1, .race = {-1, -1}};
	struct rfs_thread_view view = {.thread = run->hint.thread};
	struct rfs_thread *t;

	if (!run->hint.left)
		return false;
	t = run->threads[run->hint.thread];
	t->flags = t->state == RFS_STATE_PARKED && !t->yielded ? t->ready(run, t) : 0;
	view.flags = t->flags;
	view.next = t->next;
	if (!rfs_hint_holds(&run->hint, &view) || (run->hint.steady && !is_steady(run))) {
		run->hint.left = 0;
		return false;
	}
	run->hint.left--;
	rfs_input_chosen(run);
	execute(run, &choice);
	return true;
}

static void pick(struct rfs_run *run, struct run_view *view)
{
	const struct rfs_run_spec *spec = run->spec;
	struct rfs_choice choice = {.thread = -1, .waiter = -1, .race = {-1, -1}};
	int error;

	rfs_input_chosen(run);
	error = spec->policy->pick(run->policy, &view->view, &choice);

	if (error) {
		rfs_run_uncontrolled(run, "policy %s failed at step %llu: %s", spec->policy->name,
				     (unsigned long long)run->result->steps, strerror(-error));
		return;
	}
	if (!sound(run, &choice))
		return;
	if (choice.race[0] >= 0)
		rfs_evidence_race(run, &choice);
	note_choice(run, &view->view, &choice);
	run->current = choice.thread;
	take_hint(run, &view->view, &choice);
	execute(run, &choice);
}

static void loop(struct rfs_run *run)
{
	struct run_view view;

	while (!run->ended) {
		settle(run);
		if (run->ended)
			break;
		if (tick)
			look_around(run);
		if (!run->ended && steps_used_up(run)) {
			rfs_describe_threads(run, &run->result->threads, &run->result->n_threads);
			rfs_run_end(run, RFS_END_HANG, 1);
		}
		if (run->ended)
			break;
		/* whom a timer's signal wakes in the kernel comes to rest first */
		if (run->n_timers && rfs_timers_fire(run))
			continue;
		if (rfs_input_due(run) || driver_ended(run))
			continue;
		if (run->ended)
			break;
		if (go_on(run))
			continue;
		if (build_view(run, &view) > 0)
			pick(run, &view);
		else
			idle(run);
	}
}

static void start_ticks(void)
{
	struct sigaction action = {.sa_handler = on_tick};
	struct itimerval every = {{0, RFS_TICK_USEC}, {0, RFS_TICK_USEC}};

	tick = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void stop_ticks(void)
{
	struct itimerval never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &never, NULL);
}

void rfs_run_loop(struct rfs_run *run)
{
	start_ticks();
	while (!run->ended && run->n_threads == 0)
		wait_for_stop(run, -1);
	loop(run);
	rfs_follow_finish(run);
	rfs_gdb_ended(run);
	stop_ticks();
}
