/*
 * schedule.c - follows a fixed schedule, for replays of what --simplify found.
 *
 * Without directives, the current thread runs until it cannot continue; then the first thread that can run becomes the
 * current one. A directive makes another choice: "when thread T is the current one and has executed N operations,
 * choose thread U, with this outcome and this waiter". A directive that cannot be followed at that moment is ignored.
 *
 * N counts only operations of T, so removing one directive does not shift the others. So a schedule is a set of
 * directives, and each subset is a schedule too. Delta debugging needs this (Zeller & Hildebrandt, Simplifying and
 * Isolating Failure-Inducing Input, TSE 2002; for schedules: Choi & Zeller, ISSTA 2002).
 *
 * With the option in_turn=1, the thread that follows is the next one by number, and after the last one the first. Two
 * threads that take turns to yield until a third one arrives would otherwise never let it run.
 */
#include "policy/samplers/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/builtin.h"
#include "policy/core/alloc.h"
#include "policy/core/options.h"
#include "policy/samplers/candidates.h"

/* Timers whose signals are ignored would let time pass for ever. */
#define MAX_PASSES 1000

struct schedule_state {
	struct rfs_directive *directives; /* from the blob; thread is set to -1 once the directive was followed */
	size_t n;
	uint64_t *executed; /* number of operations, by thread */
	size_t n_threads, threads_capacity;
	int current;
	uint64_t in_turn; /* the option */
	unsigned passes;  /* how often time has passed for a directive */
	bool raced;	  /* a choice has already named a race of the pair under test */
};

static int schedule_init(void **out, const struct rfs_policy_args *args)
{
	struct schedule_state *state;
	uint64_t in_turn = 0;
	const struct rfs_policy_option options[] = {{"in_turn", &in_turn, NULL}};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (err)
		return err;
	if (args->blob && args->blob->size % sizeof(struct rfs_directive) != 0)
		return -EINVAL;
	state = rfs_policy_zalloc(1, sizeof(*state));
	state->in_turn = in_turn;
	state->n = args->blob ? args->blob->size / sizeof(struct rfs_directive) : 0;
	state->directives = rfs_policy_zalloc(state->n ? state->n : 1, sizeof(*state->directives));
	if (state->n)
		memcpy(state->directives, args->blob->data, args->blob->size);
	*out = state;
	return 0;
}

static uint64_t executed(const struct schedule_state *state, int thread)
{
	return (size_t)thread < state->n_threads ? state->executed[thread] : 0;
}

static const struct rfs_thread_view *schedule_find(const struct rfs_view *view, int thread)
{
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].thread == thread)
			return &view->threads[i];
	return NULL;
}

const struct rfs_thread_view *rfs_schedule_default(const struct rfs_view *view, int current)
{
	static const enum rfs_candidate_class order[] = {RFS_CANDIDATE_AWAKE, RFS_CANDIDATE_YIELDED,
							 RFS_CANDIDATE_SLEEPING};
	const struct rfs_thread_view *thread = schedule_find(view, current);

	if (thread && rfs_candidate_class(thread) == RFS_CANDIDATE_AWAKE)
		return thread;
	for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++)
		for (size_t i = 0; i < view->n_threads; i++)
			if (rfs_candidate_class(&view->threads[i]) == order[k])
				return &view->threads[i];
	return NULL;
}

/* The same, but after a thread comes the next one by number. */
static const struct rfs_thread_view *next_in_turn(const struct rfs_view *view, int current)
{
	const struct rfs_thread_view *usual = rfs_schedule_default(view, current), *next = NULL;
	enum rfs_candidate_class class;

	if (!usual || usual->thread == current)
		return usual;
	class = rfs_candidate_class(usual);
	for (size_t i = 0; i < view->n_threads && !next; i++)
		if (view->threads[i].thread > current && rfs_candidate_class(&view->threads[i]) == class)
			next = &view->threads[i];
	return next ? next : usual;
}

enum rfs_outcome rfs_schedule_outcome(const struct rfs_thread_view *thread)
{
	bool only = (thread->flags & RFS_THREAD_CAN_TIME_OUT) && !(thread->flags & RFS_THREAD_READY);

	return only ? RFS_OUTCOME_TIMED_OUT : RFS_OUTCOME_DONE;
}

static bool applies(const struct rfs_view *view, const struct rfs_directive *directive)
{
	const struct rfs_thread_view *thread = schedule_find(view, directive->choose);

	if (!thread)
		return false;
	return thread->flags &
	       (directive->outcome == RFS_OUTCOME_TIMED_OUT ? RFS_THREAD_CAN_TIME_OUT : RFS_THREAD_ENABLED);
}

/* Names the first race in out->race: two threads parked at the two statements with conflicting accesses. The run checks
 * the same. */
static void claim_race(struct schedule_state *state, const struct rfs_view *view, struct rfs_choice *out)
{
	for (size_t i = 0; i < view->n_threads && !state->raced; i++)
		for (size_t k = i + 1; k < view->n_threads; k++) {
			const struct rfs_op *x = &view->threads[i].next, *y = &view->threads[k].next;
			bool opposite = ((x->statements & 1) && (y->statements & 2)) ||
					((x->statements & 2) && (y->statements & 1));
			bool overlap = x->object < y->object + y->size && y->object < x->object + x->size;

			if (!opposite || !overlap || !((x->access | y->access) & RFS_ACCESS_WRITE) ||
			    (x->access & y->access & RFS_ACCESS_ATOMIC))
				continue;
			out->race[0] = view->threads[i].thread;
			out->race[1] = view->threads[k].thread;
			state->raced = true;
			break;
		}
}

/* Whether the directive names a thread that can be chosen after virtual time has passed. */
static bool applies_later(const struct rfs_view *view, const struct rfs_directive *directive)
{
	const struct rfs_thread_view *thread = view->time_can_pass ? schedule_find(view, directive->choose) : NULL;

	return thread && (thread->next.kind == RFS_OP_SLEEP || directive->outcome == RFS_OUTCOME_TIMED_OUT);
}

static int schedule_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct schedule_state *state = opaque;
	const struct rfs_thread_view *thread;
	uint64_t at = executed(state, state->current);

	claim_race(state, view, out);
	for (size_t i = 0; i < state->n; i++) {
		struct rfs_directive *directive = &state->directives[i];

		if (directive->thread != state->current || directive->at != at)
			continue;
		if (!applies(view, directive)) {
			if (!applies_later(view, directive) || state->passes == MAX_PASSES)
				continue;
			state->passes++;
			out->thread = RFS_TIME_PASSES;
			out->race[0] = out->race[1] = -1;
			return 0;
		}
		out->thread = directive->choose;
		out->outcome = (enum rfs_outcome)directive->outcome;
		out->waiter = directive->waiter;
		directive->thread = -1;
		state->current = out->thread;
		return 0;
	}
	thread = state->in_turn ? next_in_turn(view, state->current) : rfs_schedule_default(view, state->current);
	if (!thread)
		return -ENOENT;
	out->thread = thread->thread;
	out->outcome = rfs_schedule_outcome(thread);
	state->current = out->thread;
	return 0;
}

static void schedule_event(void *opaque, const struct rfs_event *event)
{
	struct schedule_state *state = opaque;

	if (event->kind != RFS_EVENT_OP || event->thread < 0)
		return;
	if ((size_t)event->thread >= state->n_threads) {
		size_t n = (size_t)event->thread + 1;

		state->executed =
			rfs_policy_grow(state->executed, &state->threads_capacity, n, sizeof(*state->executed));
		while (state->n_threads < n)
			state->executed[state->n_threads++] = 0;
	}
	state->executed[event->thread]++;
}

static void schedule_fini(void *opaque)
{
	struct schedule_state *state = opaque;

	free(state->directives);
	free(state->executed);
	free(state);
}

const struct rfs_policy_ops rfs_policy_schedule = {
	.abi = RFS_POLICY_ABI,
	.name = RFS_POLICY_SCHEDULE,
	.summary = "a fixed schedule, for the records that --simplify writes",
	.init = schedule_init,
	.pick = schedule_pick,
	.event = schedule_event,
	.fini = schedule_fini,
};
