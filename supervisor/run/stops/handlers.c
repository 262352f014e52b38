/* handlers.c - signal handlers as threads. */
#include "supervisor/run/stops/handlers.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/access/sites.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/kernel/signals/signals.h"
#include "supervisor/kernel/signals/timers.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/core/virtual_time.h"
#include "supervisor/state/findings/evidence.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/state/operations/partial_order.h"
#include "supervisor/state/operations/thread_new.h"
#include "tracer/tracer.h"

/*
 * The part of the stack below the interrupted frame that is no longer in use when the handler has returned. Below it,
 * the memory of a handler's frames would be taken for that of later frames of the thread.
 */
#define FRAMES_SIZE 65536
#define RED_ZONE 128

/*
 * A signal comes early only if its timer is due within this part of --sleep-race. A timer of half a second may watch
 * over the program, and a program need not be right if such a time is over at once.
 */
#define EARLY_PART 10

/* A handler that did not reach the expected statement so often in a row is not expected there any more. */
#define MISSES_MAX 3

static struct rfs_thread *handler_of(const struct rfs_run *run, int signo)
{
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->handler.signo == signo)
			return run->threads[i];
	return NULL;
}

static enum rfs_then go_begin(struct rfs_run *run, struct rfs_thread *handler, const struct rfs_choice *choice);

static struct rfs_thread *make_handler(struct rfs_run *run, struct rfs_thread *creator, int signo)
{
	const struct rfs_thread_start creates = creator->creates; /* of a thread that it is about to create */
	struct rfs_thread *handler = rfs_thread_new(run, NULL, creator->tid, creator);

	handler->start = (struct rfs_thread_start){0};
	creator->creates = creates;
	handler->state = RFS_STATE_ENDED;
	handler->handler.signo = signo;
	handler->go = go_begin;
	rfs_kernel_thread_init(handler);
	rfs_sites_new_thread(run, creator->task);
	rfs_partial_order_created(run, creator, handler);
	return handler;
}

void rfs_handlers_make(struct rfs_run *run, struct rfs_thread *creator)
{
	for (int signo = 1; run->armed; signo++, run->armed >>= 1)
		if ((run->armed & 1) && !handler_of(run, signo))
			(void)make_handler(run, creator, signo);
}

bool rfs_handler_is_idle(const struct rfs_thread *thread)
{
	return thread->handler.signo && !thread->task;
}

static unsigned ready_never(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	(void)thread;
	return 0;
}

/* The memory below the interrupted frame has no object of the thread. */
static void reset_frames(struct rfs_run *run, struct rfs_thread *handler)
{
	if (handler->handler.frame > RED_ZONE + FRAMES_SIZE)
		rfs_emit_reset(run, handler, handler->handler.frame - RED_ZONE - FRAMES_SIZE, FRAMES_SIZE);
}

/* The task of the thread becomes that of the handler. */
static void handler_begins(struct rfs_run *run, struct rfs_thread *handler, struct rfs_thread *thread)
{
	struct rfs_handler_state *state = &handler->handler;

	state->on = thread;
	/* a signal that was sent comes once, and before the thread has made the call at which it stood */
	state->waited = thread->state == RFS_STATE_KERNEL || (thread->flags & RFS_THREAD_BY_SIGNAL) ||
			(thread->handler.sent && thread->handler.stood);
	thread->handler.sent = thread->handler.stood = false;
	state->begun = false;
	state->frame = rfs_task_regs(thread->task)->rsp;
	state->rip = rfs_task_regs(thread->task)->rip;
	state->entry = rfs_signal_handler(run, state->signo);
	state->operations = thread->operations;
	handler->task = thread->task;
	handler->tid = handler->sync.tid = thread->tid;
	handler->tls = 0; /* so that the thread is found by its thread pointer */
	handler->state = RFS_STATE_RUNNING;
	handler->n_returns = 0;
	rfs_task_set_data(thread->task, handler);
	if (run->running == thread)
		run->running = handler;
	thread->state = RFS_STATE_PARKED;
	thread->next = rfs_op_make(RFS_OP_JOIN, thread->next.site, 0);
	thread->next.peer = handler->number;
	thread->ready = ready_never;
	thread->go = rfs_go_on;
	thread->flags = 0;
	thread->deadline = RFS_NEVER;
	thread->sync.wait = (struct rfs_wait){.kind = RFS_WAIT_JOIN, .peer = (size_t)handler->number};
	thread->handler.by = handler;
	thread->handler.follows = NULL;
	rfs_access_drop(thread);
	state->times++;
	rfs_emit_kind(run, handler, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_ARMED, (uint64_t)state->signo));
	rfs_signal_received(run, handler, state->signo);
	(void)!rfs_task_blocked_signals(thread->task, &state->masks);
	state->masks |= rfs_signal_handler_mask(run, state->signo);
	rfs_signal_blocks(run, handler, 0, state->masks);
	reset_frames(run, handler);
}

struct rfs_thread *rfs_handler_ends(struct rfs_run *run, struct rfs_thread *handler)
{
	struct rfs_handler_state *state = &handler->handler;
	struct rfs_thread *thread = state->on;

	state->misses = state->meets ? state->misses + 1 : 0;
	rfs_evidence_drop_meeting(handler);
	rfs_signal_blocks(run, handler, state->masks, 0);
	rfs_emit_kind(run, handler, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_HANDLED, (uint64_t)state->signo));
	/* the call that the signal has ended returns after the handler */
	if (state->waited)
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_HANDLED, (uint64_t)state->signo));
	reset_frames(run, handler);
	rfs_access_drop(handler);
	rfs_call_drop_fds(handler);
	rfs_task_set_data(handler->task, thread);
	handler->task = NULL;
	handler->state = RFS_STATE_ENDED;
	handler->go = go_begin;
	handler->flags = 0;
	handler->deadline = RFS_NEVER;
	handler->sync.wait = (struct rfs_wait){0};
	if (run->running == handler)
		run->running = thread;
	state->on = NULL;
	state->last = thread;
	thread->handler.by = NULL;
	thread->state = RFS_STATE_RUNNING;
	thread->sync.wait = (struct rfs_wait){0};
	return thread;
}

void rfs_handler_looks(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop)
{
	while (thread->handler.on) {
		const struct rfs_handler_state *state = &thread->handler;
		const bool ends = stop->kind == RFS_STOP_EXITING || stop->kind == RFS_STOP_EXITED ||
				  stop->kind == RFS_STOP_KILLED;
		rfs_addr rsp;

		if (!ends && !state->begun) {
			if (stop->kind == RFS_STOP_SIGNAL && stop->info.si_signo == state->signo)
				return;
		} else if (!ends) {
			rsp = rfs_task_regs(thread->task)->rsp;
			if (rsp <= state->frame || rsp >= state->on->stack_high)
				return;
		}
		thread = rfs_handler_ends(run, thread);
	}
}

static struct rfs_thread *deliver(struct rfs_run *run, struct rfs_thread *thread, int signo)
{
	struct rfs_thread *handler;

	if (thread->handler.on && !thread->handler.begun && thread->handler.signo == signo) {
		thread->handler.begun = true;
		return thread;
	}
	if (!signo || !thread->handler.comes || !rfs_signal_has_handler(run, signo))
		return thread;
	handler = handler_of(run, signo);
	if (handler && handler->handler.on)
		return thread; /* it runs on another thread at the same time */
	if (!handler)
		handler = make_handler(run, thread, signo);
	handler_begins(run, handler, thread);
	handler->handler.begun = true;
	handler->pending_signo = signo;
	return handler;
}

struct rfs_thread *rfs_handler_delivers(struct rfs_run *run, struct rfs_thread *thread)
{
	const int signo = thread->pending_signo;
	struct rfs_thread *runs = deliver(run, thread, signo);

	if (signo && !thread->process)
		rfs_signal_handled(run, signo);
	return runs;
}

/* ---- choices ---- */

/* Whether the signal may come while the thread is parked before this operation. */
static bool can_be_interrupted(struct rfs_run *run, struct rfs_thread *thread, int signo)
{
	unsigned long blocked;

	if (!thread->task || thread->state != RFS_STATE_PARKED || thread->handler.by || thread->access.at ||
	    thread->access.checked || thread->process)
		return false;
	switch (thread->next.kind) {
	case RFS_OP_START:
	case RFS_OP_EXIT:
	case RFS_OP_COND_WAKE:
	case RFS_OP_BARRIER_LEAVE:
	case RFS_OP_FUTEX_SLEEP:
	case RFS_OP_SLEEP:
		return false;
	case RFS_OP_SYSCALL:
		if (!thread->at_syscall)
			return false;
		break;
	default:
		break;
	}
	return (thread->ready(run, thread) & RFS_THREAD_ENABLED) &&
	       rfs_task_blocked_signals(thread->task, &blocked) == 0 && !(blocked >> (signo - 1) & 1);
}

/* Whether a timer may send the signal of this handler now. *to: as in rfs_timers_due(). */
static bool may_come(const struct rfs_run *run, const struct rfs_thread *handler, struct rfs_thread **to)
{
	const int signo = handler->handler.signo;
	const uint64_t due = rfs_timers_due(run, signo, to);

	return due != RFS_NEVER && due <= run->time.now + rfs_sleep_race(run) / EARLY_PART &&
	       rfs_signal_has_handler(run, signo);
}

/* The thread that the signal would interrupt now; NULL: it cannot come. */
static struct rfs_thread *handler_victim(struct rfs_run *run, const struct rfs_thread *handler)
{
	const struct rfs_handler_state *state = &handler->handler;
	struct rfs_thread *thread = run->threads[0];

	if (!may_come(run, handler, &thread))
		return NULL;
	/* a policy may prefer the handler, so its thread has more and more operations between two runs of it */
	if (state->times && thread->operations - state->operations < state->times)
		return NULL;
	return can_be_interrupted(run, thread, state->signo) ? thread : NULL;
}

/* Whether the handler is shown at the statement of the pair at which the thread is not. */
static bool expects(const struct rfs_run *run, const struct rfs_thread *handler)
{
	return run->spec->plan.pair && !run->spec->plan.order && handler->handler.misses < MISSES_MAX;
}

static struct rfs_op expected_op(const struct rfs_op *of)
{
	const unsigned both = of->statements & 3;
	struct rfs_op op = rfs_op_make(RFS_OP_ACCESS, of->site, of->object);

	op.size = of->size;
	op.access = of->access & RFS_ACCESS_WRITE ? RFS_ACCESS_READ : RFS_ACCESS_WRITE;
	op.statements = (of->statements & ~3u) | (both == 3 ? 3 : 3 - both);
	return op;
}

void rfs_handler_view(struct rfs_run *run, struct rfs_thread *handler, struct rfs_thread_view *out)
{
	const struct rfs_thread *victim = handler_victim(run, handler);

	handler->next = rfs_op_make(RFS_OP_START, 0, 0);
	handler->flags = victim ? RFS_THREAD_ENABLED : 0;
	if (victim && expects(run, handler)) {
		if (victim->next.kind == RFS_OP_ACCESS && victim->next.statements & 3)
			handler->next = expected_op(&victim->next);
		else
			handler->flags = 0;
	}
	out->flags = handler->flags;
	out->next = handler->next;
}

/* Makes the signal come to the thread, which is stopped before its operation or right after it. */
static void handler_interrupts(struct rfs_run *run, struct rfs_thread *handler, struct rfs_thread *thread)
{
	struct rfs_op op = rfs_op_make(RFS_OP_START, 0, 0);

	op.access = (unsigned)handler->handler.signo;
	rfs_executed(run, handler, &op, RFS_OUTCOME_DONE);
	rfs_timers_expire(run, handler->handler.signo);
	handler_begins(run, handler, thread);
}

static enum rfs_then go_begin(struct rfs_run *run, struct rfs_thread *handler, const struct rfs_choice *choice)
{
	struct rfs_thread *thread = handler_victim(run, handler);

	(void)choice;
	if (thread->at_syscall) {
		/* the call has not begun */
		rfs_call_drop_fds(thread);
		rfs_task_restart_syscall(thread->task);
	}
	handler_interrupts(run, handler, thread);
	return RFS_THEN_EXECUTE;
}

bool rfs_handler_race(struct rfs_run *run, const struct rfs_choice *choice)
{
	for (int i = 0; i < 2; i++) {
		struct rfs_thread *handler = run->threads[choice->race[i]], *other = run->threads[choice->race[!i]];

		if (!rfs_handler_is_idle(handler))
			continue;
		rfs_evidence_expect_meeting(run, handler, other, choice->thread == other->number);
		if (choice->thread == other->number)
			other->handler.follows = handler;
		return true;
	}
	return false;
}

struct rfs_thread *rfs_handler_follows(struct rfs_run *run, struct rfs_thread *thread)
{
	struct rfs_thread *handler = thread->handler.follows;
	struct rfs_thread *to = NULL;

	thread->handler.follows = NULL;
	if (!handler || handler->handler.on || rfs_timers_due(run, handler->handler.signo, &to) == RFS_NEVER)
		return thread;
	handler_interrupts(run, handler, thread);
	return handler;
}

/* Whether the signal of a timer may come for the last time before this call. */
static bool is_last_moment(long call)
{
	switch (call) {
	case SYS_exit_group:
	case SYS_setitimer:
	case SYS_alarm:
	case SYS_timer_settime:
	case SYS_timer_delete:
	case SYS_rt_sigaction:
		return true;
	default:
		return false;
	}
}

bool rfs_handlers_before_call(struct rfs_run *run, struct rfs_thread *thread, long call)
{
	if (!run->stream || !is_last_moment(call))
		return false;
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *handler = run->threads[i];
		struct rfs_thread *to = thread;
		unsigned long blocked;

		if (!rfs_handler_is_idle(handler) || handler->handler.times)
			continue;
		if (!may_come(run, handler, &to) || to != thread ||
		    rfs_task_blocked_signals(thread->task, &blocked) != 0 ||
		    blocked >> (handler->handler.signo - 1) & 1)
			continue;
		rfs_task_restart_syscall(thread->task);
		handler_interrupts(run, handler, thread);
		return true;
	}
	return false;
}
