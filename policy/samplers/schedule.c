/*
 * schedule.c - follows a fixed schedule, for replays of what --simplify found.
 *
 * Without directives, the current thread runs until it cannot continue; then the first thread that can run becomes the
 * current one. A directive makes another choice: "when thread T is the current one and has executed N operations,
 * choose thread U, with this outcome and this waiter". A directive that cannot be followed at that moment is ignored.
 *
 * Instead of a thread, U may be RFS_TIME_PASSES: then virtual time passes until a timer expires.
 *
 * N counts only operations of T, so removing one directive does not shift the others. So a schedule is a set of
 * directives, and each subset is a schedule too. Store buffers are flushed first, so every delay of a store is a
 * directive; while a buffer is not empty, each choice has one, because such choices do not count as operations of T.
 * Delta debugging needs this (Zeller & Hildebrandt, Simplifying and
 * Isolating Failure-Inducing Input, TSE 2002; for schedules: Choi & Zeller, ISSTA 2002).
 *
 * The option `first` ends the schedule at a race. The thread `first` is postponed when it has executed first_at
 * operations, until the thread `second` has executed second_at. Without `second`, any other thread will do. If the two
 * threads are then at the two statements of the pair under test, that is the race. With order=1 `first` goes first, as
 * in the recorded run; with order=2 the other thread does. Then both leave their statements (leave_pair.h). What
 * follows is drawn from stream `continue` of the seed: what rfs_candidates_collect() draws, the candidate, and what
 * rfs_candidates_choose() draws. The options number threads from 1, the view from 0.
 *
 * With the option no_delays=1, store buffers are flushed before any directive is followed. With no_faults=1, an
 * operation whose directive says that it fails completes.
 *
 * With the option in_turn=1, the thread that follows is the next one by number, and after the last one the first. Two
 * threads that take turns to yield until a third one arrives would otherwise never let it run.
 */
#include "policy/samplers/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/builtin.h"
#include "policy/choice/candidates.h"
#include "policy/choice/leave_pair.h"
#include "policy/choice/postponed_time.h"
#include "policy/core/alloc.h"
#include "policy/core/op.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

/* A thread may execute at most this many operations to leave its statement. */
#define LEAVES_WITHIN 10000

/* Timers whose signals are ignored would let time pass for ever. */
#define MAX_PASSES 1000

struct schedule_state {
	struct rfs_directive *directives; /* from the blob; thread is set to -1 once the directive was followed */
	size_t n;
	uint64_t *executed; /* number of operations, by thread */
	size_t n_threads, threads_capacity;
	int current;
	uint64_t in_turn, no_delays, no_faults; /* the options */
	unsigned passes;			/* how often time has passed for a directive */
	/* the last race of the pair under test that a choice has named: the threads, and how far they were */
	int raced[2];
	uint64_t raced_at[2];

	uint64_t first, first_at, second, second_at, order, stream; /* the options; first 0: no race is resolved */
	bool given_up;						    /* the race could not be created again */
	bool is_over;						    /* the race is resolved */
	struct rfs_leave_pair leaving;				    /* if is_over */
	struct rfs_candidates candidates;			    /* if is_over: valid during one pick */
	struct rfs_rng rng;
	int last; /* the thread that has executed the last operation */
};

static int schedule_init(void **out, const struct rfs_policy_args *args)
{
	struct schedule_state *state, settings = {.last = -1, .raced = {-1, -1}};
	const struct rfs_policy_option options[] = {
		{"in_turn", &settings.in_turn, NULL},	  {"first", &settings.first, NULL},
		{"first_at", &settings.first_at, NULL},	  {"second", &settings.second, NULL},
		{"second_at", &settings.second_at, NULL}, {"order", &settings.order, NULL},
		{"continue", &settings.stream, NULL},	  {"no_delays", &settings.no_delays, NULL},
		{"no_faults", &settings.no_faults, NULL},
	};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));

	if (err)
		return err;
	if (args->blob && args->blob->size % sizeof(struct rfs_directive) != 0)
		return -EINVAL;
	if (settings.order > 2 || !settings.first != !settings.order || (settings.second && !settings.first))
		return -EINVAL;
	state = rfs_policy_zalloc(1, sizeof(*state));
	*state = settings;
	rfs_rng_init_stream(&state->rng, args->seed, state->stream);
	state->n = args->blob ? args->blob->size / sizeof(struct rfs_directive) : 0;
	state->directives = rfs_policy_zalloc(state->n ? state->n : 1, sizeof(*state->directives));
	if (state->n)
		memcpy(state->directives, args->blob->data, args->blob->size);
	*out = state;
	return 0;
}

static uint64_t schedule_executed(const struct schedule_state *state, int thread)
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

	/* without a directive, no store is delayed; buffers are the last of the view */
	for (size_t i = view->n_threads; i-- > 0 && rfs_is_store_buffer(&view->threads[i]);)
		if (i == 0 || !rfs_is_store_buffer(&view->threads[i - 1]))
			return &view->threads[i];
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

	if (!usual || usual->thread == current || rfs_is_store_buffer(usual))
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

/* A store buffer does not become the current thread, because its thread continues after it. */
static void set_current(struct schedule_state *state, const struct rfs_thread_view *thread)
{
	if (!rfs_is_store_buffer(thread))
		state->current = thread->thread;
}

static bool applies(const struct rfs_view *view, const struct rfs_directive *directive)
{
	const struct rfs_thread_view *thread = schedule_find(view, directive->choose);

	if (!thread || (directive->outcome == RFS_OUTCOME_FAULT && !(thread->flags & RFS_THREAD_CAN_FAIL)))
		return false;
	return thread->flags &
	       (directive->outcome == RFS_OUTCOME_TIMED_OUT ? RFS_THREAD_CAN_TIME_OUT : RFS_THREAD_ENABLED);
}

/* Names a race in out->race. False: a choice has named it already, and the threads are still parked there. */
static bool name_race(struct schedule_state *state, int a, int b, struct rfs_choice *out)
{
	if (state->raced[0] == a && state->raced[1] == b && state->raced_at[0] == schedule_executed(state, a) &&
	    state->raced_at[1] == schedule_executed(state, b))
		return false;
	state->raced[0] = out->race[0] = a;
	state->raced[1] = out->race[1] = b;
	state->raced_at[0] = schedule_executed(state, a);
	state->raced_at[1] = schedule_executed(state, b);
	return true;
}

/* Names a new race: two threads parked at the two statements with conflicting accesses. The first of a run may be
 * harmless and a later one a use of freed memory, so each is named. */
static void claim_race(struct schedule_state *state, const struct rfs_view *view, struct rfs_choice *out)
{
	for (size_t i = 0; i < view->n_threads; i++)
		for (size_t k = i + 1; k < view->n_threads && rfs_is_at_statement(&view->threads[i]); k++)
			if (rfs_ops_race(&view->threads[i].next, &view->threads[k].next) &&
			    name_race(state, view->threads[i].thread, view->threads[k].thread, out))
				return;
}

/* A choice of no thread names no race; the next choice of a thread does. */
static void choose_no_thread(struct schedule_state *state, int what, struct rfs_choice *out)
{
	out->thread = what;
	out->race[0] = out->race[1] = state->raced[0] = state->raced[1] = -1;
}

/* Whether something is due within --sleep-race. */
static bool time_may_pass(const struct rfs_view *view)
{
	return view->time_can_pass && view->due <= rfs_postponed_until(view);
}

/* Whether the directive names a thread that can be chosen after virtual time has passed, no more than --sleep-race. */
static bool applies_later(const struct rfs_view *view, const struct rfs_directive *directive)
{
	const struct rfs_thread_view *thread = time_may_pass(view) ? schedule_find(view, directive->choose) : NULL;

	return thread && (thread->next.kind == RFS_OP_SLEEP || directive->outcome == RFS_OUTCOME_TIMED_OUT);
}

/* ---- the race at the end ---- */

/* Resolves the race. Then both threads leave their statements, so that they come equally far in both orders. */
static void schedule_resolve(struct schedule_state *state, const struct rfs_thread_view *first,
			     const struct rfs_thread_view *second, struct rfs_choice *out)
{
	(void)name_race(state, first->thread, second->thread, out);
	state->is_over = true;
	if (state->order == 1)
		rfs_leave_pair_add(&state->leaving, first->thread, 1);
	rfs_leave_pair_add(&state->leaving, second->thread, LEAVES_WITHIN);
	rfs_leave_pair_add(&state->leaving, first->thread, LEAVES_WITHIN);
}

/* After the race: first the threads that leave their statements, then random threads. */
static int pick_after_race(struct schedule_state *state, const struct rfs_view *view, struct rfs_choice *out)
{
	const struct rfs_thread_view *thread = rfs_leave_pair_next(&state->leaving, view, state->last, LEAVES_WITHIN);

	if (!thread) {
		rfs_candidates_collect(&state->candidates, view, &state->rng);
		if (state->candidates.n == 0)
			return -EINVAL;
		thread = state->candidates.threads[rfs_rng_below(&state->rng, state->candidates.n)];
	}
	rfs_candidates_choose(&state->candidates, view, thread, &state->rng, out);
	return 0;
}

/* The thread that runs while `first` is postponed: `second`, or one that `second` may wait for. NULL: none can run. */
static const struct rfs_thread_view *thread_meanwhile(const struct rfs_view *view, const struct rfs_thread_view *first,
						      const struct rfs_thread_view *second)
{
	static const enum rfs_candidate_class order[] = {RFS_CANDIDATE_AWAKE, RFS_CANDIDATE_YIELDED,
							 RFS_CANDIDATE_SLEEPING};

	if (second && rfs_candidate_class(second) == RFS_CANDIDATE_AWAKE)
		return second;
	for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++)
		for (size_t i = 0; i < view->n_threads; i++)
			if (&view->threads[i] != first && rfs_candidate_class(&view->threads[i]) == order[k])
				return &view->threads[i];
	return NULL;
}

/* The thread that races with `first`. NULL: it has not arrived yet. */
static const struct rfs_thread_view *racing_thread(const struct schedule_state *state, const struct rfs_view *view,
						   const struct rfs_thread_view *first)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];

		if (t == first || !rfs_is_at_statement(t) || !rfs_ops_race(&first->next, &t->next))
			continue;
		if (!state->second ||
		    (t->thread == (int)state->second - 1 && schedule_executed(state, t->thread) == state->second_at))
			return t;
	}
	return NULL;
}

/* Lets other threads run while `first` is postponed. False if the race cannot be created any more. */
static bool wait_for_race(struct schedule_state *state, const struct rfs_view *view,
			  const struct rfs_thread_view *first, struct rfs_choice *out)
{
	const struct rfs_thread_view *second = state->second ? schedule_find(view, (int)state->second - 1) : NULL;
	const struct rfs_thread_view *thread = NULL;

	if (rfs_is_at_statement(first) &&
	    (!state->second || (second && schedule_executed(state, second->thread) < state->second_at)))
		thread = thread_meanwhile(view, first, second);
	if (!thread) {
		state->given_up = true;
		return false;
	}
	out->thread = thread->thread;
	set_current(state, thread);
	out->outcome = rfs_schedule_outcome(thread);
	return true;
}

/* True if the choice was made here: `first` is postponed, or the race is resolved. Otherwise follow the schedule. */
static bool pick_for_race(struct schedule_state *state, const struct rfs_view *view, struct rfs_choice *out, int *error)
{
	const struct rfs_thread_view *first, *other;

	*error = 0;
	if (!state->first || state->given_up)
		return false;
	if (!state->is_over) {
		first = schedule_find(view, (int)state->first - 1);
		if (!first || schedule_executed(state, first->thread) != state->first_at)
			return false;
		other = racing_thread(state, view, first);
		if (!other)
			return wait_for_race(state, view, first, out);
		schedule_resolve(state, first, other, out);
	}
	*error = pick_after_race(state, view, out);
	return true;
}

static int schedule_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct schedule_state *state = opaque;
	const struct rfs_thread_view *thread;
	uint64_t at = schedule_executed(state, state->current);
	int error;

	if (state->no_delays && rfs_is_store_buffer(&view->threads[view->n_threads - 1])) {
		out->thread = view->threads[view->n_threads - 1].thread;
		return 0;
	}
	if (pick_for_race(state, view, out, &error))
		return error;
	if (!state->first)
		claim_race(state, view, out);
	for (size_t i = 0; i < state->n; i++) {
		struct rfs_directive *directive = &state->directives[i];

		if (directive->thread != state->current || directive->at != at)
			continue;
		if (directive->choose == RFS_TIME_PASSES) {
			if (!time_may_pass(view))
				continue;
			directive->thread = -1;
			choose_no_thread(state, RFS_TIME_PASSES, out);
			return 0;
		}
		if (!applies(view, directive)) {
			const bool later = applies_later(view, directive);

			if ((!later && !view->outside) || state->passes == MAX_PASSES)
				continue;
			state->passes++;
			choose_no_thread(state, later ? RFS_TIME_PASSES : RFS_OUTSIDE_ACTS, out);
			return 0;
		}
		out->thread = directive->choose;
		out->outcome = (enum rfs_outcome)directive->outcome;
		if (state->no_faults && out->outcome == RFS_OUTCOME_FAULT)
			out->outcome = RFS_OUTCOME_DONE;
		out->waiter = directive->waiter;
		directive->thread = -1;
		set_current(state, schedule_find(view, out->thread));
		return 0;
	}
	thread = state->in_turn ? next_in_turn(view, state->current) : rfs_schedule_default(view, state->current);
	if (!thread)
		return -ENOENT;
	out->thread = thread->thread;
	out->outcome = rfs_schedule_outcome(thread);
	set_current(state, thread);
	if (!state->n && !state->first)
		rfs_candidates_alone(view, out);
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
	state->last = event->thread;
}

static void schedule_stats(void *opaque, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	const struct schedule_state *state = opaque;

	emit(arg, rfs_policy_counter_key(RFS_COUNTER_RACES), state->raced[0] >= 0);
}

static void schedule_fini(void *opaque)
{
	struct schedule_state *state = opaque;

	free(state->directives);
	free(state->executed);
	rfs_leave_pair_release(&state->leaving);
	rfs_candidates_release(&state->candidates);
	free(state);
}

const struct rfs_policy_ops rfs_policy_schedule = {
	.abi = RFS_POLICY_ABI,
	.name = RFS_POLICY_SCHEDULE,
	.summary = "a fixed schedule, for the records that --simplify writes",
	.flags = RFS_POLICY_CHOOSES_FAULTS,
	.init = schedule_init,
	.pick = schedule_pick,
	.event = schedule_event,
	.stats = schedule_stats,
	.fini = schedule_fini,
};
