/*
 * dpor.c - one execution of an exploration (dpor_tree.h).
 *
 * The blob is a plan (dpor_run.h): the first choices, a guide to the next ones, and the threads that are asleep. After
 * these the current thread runs until it cannot continue; then the first thread that can run becomes the current one,
 * awake threads before those that have yielded, and those before sleepers. Threads that are asleep are not chosen. A
 * thread wakes up when an operation is executed that depends on its next one. If all threads that can run are asleep,
 * another execution of the exploration has done the same, and this one only runs to its end.
 *
 * Without a blob the plan is empty. The policy draws nothing. It saves what it did after the plan.
 *
 * Giving up a turn is advice, so a thread that yields or sleeps can be chosen like others. Only threads that wait in
 * loops (loops.h) are held back as fair.h says. A thread that repeats itself without a yield is noticed as spinning.h
 * says, and counts as one that waits.
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/choice/fair.h"
#include "policy/choice/loops.h"
#include "policy/choice/spinning.h"
#include "policy/core/alloc.h"
#include "policy/core/dependence.h"
#include "policy/dpor/dpor_run.h"

/*
 * Without a limit, each round of a loop that only reads would add schedules. So after this many looks that repeat each
 * other, a thread counts as one that waits.
 */
#define LOOKS_MOST (10 * RFS_SPINNING_LOOK)

struct dpor {
	struct rfs_dpor_plan plan;
	struct rfs_dpor_trace trace;
	size_t steps_capacity, options_capacity, left_capacity;
	size_t n_threads; /* created so far */
	size_t n_steps;	  /* executed, from the first step on */
	int current;
	bool open;		   /* the last step was chosen, and its operation was not reported yet */
	bool deadlock;		   /* the run has ended in one */
	bool over;		   /* all choices were asleep, or there are too many steps: the rest is not recorded */
	struct rfs_dpor_step step; /* the last one */
	struct rfs_dpor_option *options; /* of the choice in progress */
	size_t n_options, choice_capacity, held_back;
	struct rfs_fair fair;
	struct rfs_loops loops;
	struct rfs_spinning spinning;
};

static int dpor_init(void **out, const struct rfs_policy_args *args)
{
	struct rfs_dpor_plan plan = {0};
	struct dpor *dpor;

	if (args->options && *args->options)
		return -EINVAL;
	if (args->blob && rfs_dpor_plan_read(args->blob, &plan) != 0)
		return -EINVAL;
	dpor = rfs_policy_zalloc(1, sizeof(*dpor));
	dpor->plan = plan;
	*out = dpor;
	return 0;
}

/* ---- what could be chosen ---- */

static void dpor_add_option(struct dpor *dpor, const struct rfs_thread_view *t, enum rfs_outcome outcome, int waiter)
{
	dpor->options =
		rfs_policy_grow(dpor->options, &dpor->choice_capacity, dpor->n_options + 1, sizeof(*dpor->options));
	dpor->options[dpor->n_options++] =
		(struct rfs_dpor_option){t->thread, waiter, outcome, rfs_candidate_class(t) == RFS_CANDIDATE_AWAKE};
}

static void add_thread_options(struct dpor *dpor, const struct rfs_view *view, const struct rfs_thread_view *t)
{
	const bool timed = t->flags & RFS_THREAD_CAN_TIME_OUT;
	const bool done = (t->flags & RFS_THREAD_ENABLED) && (!timed || (t->flags & RFS_THREAD_READY));
	size_t n = 0;

	if (done) {
		for (size_t i = 0; i < view->n_threads; i++)
			n += rfs_candidate_waits(&view->threads[i], &t->next);
		for (size_t i = 0; i < view->n_threads && n > 1; i++)
			if (rfs_candidate_waits(&view->threads[i], &t->next))
				dpor_add_option(dpor, t, RFS_OUTCOME_DONE, view->threads[i].thread);
		if (n <= 1)
			dpor_add_option(dpor, t, RFS_OUTCOME_DONE, -1);
	}
	if (timed)
		dpor_add_option(dpor, t, RFS_OUTCOME_TIMED_OUT, -1);
}

static void collect_options(struct dpor *dpor, const struct rfs_view *view)
{
	uint64_t enabled = 0;

	for (size_t i = 0; i < view->n_threads; i++) {
		const enum rfs_candidate_class class = rfs_candidate_class(&view->threads[i]);

		if ((class == RFS_CANDIDATE_AWAKE || class == RFS_CANDIDATE_YIELDED) &&
		    view->threads[i].thread < RFS_FAIR_THREADS)
			enabled |= UINT64_C(1) << view->threads[i].thread;
	}
	rfs_fair_enabled(&dpor->fair, enabled);
	dpor->n_options = 0;
	dpor->held_back = 0;
	for (size_t i = 0; i < view->n_threads; i++)
		if (!rfs_fair_waits(&dpor->fair, view->threads[i].thread))
			add_thread_options(dpor, view, &view->threads[i]);
		else
			dpor->held_back += rfs_candidate_class(&view->threads[i]) != RFS_CANDIDATE_NONE;
	if (dpor->held_back && dpor->n_options)
		dpor->trace.repeated = true;
	for (size_t i = 0; i < view->n_threads && !dpor->n_options; i++)
		add_thread_options(dpor, view, &view->threads[i]);
}

static const struct rfs_thread_view *dpor_find(const struct rfs_view *view, int thread)
{
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].thread == thread)
			return &view->threads[i];
	return NULL;
}

/* Nothing is asleep while the plan is followed. */
static bool dpor_is_asleep(const struct dpor *dpor, const struct rfs_dpor_option *option)
{
	if (dpor->over || dpor->n_steps < dpor->plan.n_choices)
		return false;
	for (size_t i = 0; i < dpor->plan.n_asleep; i++) {
		const struct rfs_dpor_choice *choice = &dpor->plan.asleep[i].choice;

		if (choice->thread == option->thread && choice->waiter == option->waiter &&
		    choice->outcome == option->outcome)
			return true;
	}
	return false;
}

/* The first option of the current thread, or of the first thread of the best class. NULL: all are asleep. */
static const struct rfs_dpor_option *dpor_usual(const struct dpor *dpor, const struct rfs_view *view)
{
	static const enum rfs_candidate_class order[] = {RFS_CANDIDATE_AWAKE, RFS_CANDIDATE_YIELDED,
							 RFS_CANDIDATE_SLEEPING};

	for (size_t i = 0; i < dpor->n_options; i++)
		if (dpor->options[i].thread == dpor->current && dpor->options[i].awake &&
		    !dpor_is_asleep(dpor, &dpor->options[i]))
			return &dpor->options[i];
	for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++)
		for (size_t i = 0; i < dpor->n_options; i++) {
			const struct rfs_dpor_option *option = &dpor->options[i];

			if (rfs_candidate_class(dpor_find(view, option->thread)) == order[k] &&
			    !dpor_is_asleep(dpor, option))
				return option;
		}
	return NULL;
}

/* ---- steps ---- */

/* From the last step of the plan on, the exploration does not know the steps yet. */
static bool dpor_is_new(const struct dpor *dpor)
{
	return dpor->n_steps + 1 >= dpor->plan.n_choices && !dpor->over;
}

static void wake(struct dpor *dpor)
{
	size_t kept = 0;

	for (size_t i = 0; i < dpor->plan.n_asleep; i++) {
		const struct rfs_dpor_asleep *a = &dpor->plan.asleep[i];

		if (!a->on_all && !rfs_dependent(dpor->step.thread, &dpor->step.op, a->choice.thread, &a->op))
			dpor->plan.asleep[kept++] = *a;
	}
	dpor->plan.n_asleep = kept;
}

/* The operation of the last step is known now. */
static void close_step(struct dpor *dpor)
{
	struct rfs_dpor_trace *trace = &dpor->trace;

	if (!dpor->open)
		return;
	dpor->open = false;
	if (dpor_is_new(dpor)) {
		trace->steps =
			rfs_policy_grow(trace->steps, &dpor->steps_capacity, trace->n_steps + 1, sizeof(*trace->steps));
		trace->steps[trace->n_steps++] = dpor->step;
		wake(dpor);
	} else if (!dpor->over) {
		const uint32_t check = dpor->plan.choices[dpor->n_steps].check;

		trace->strayed |= check && check != rfs_dpor_check(&dpor->step.op);
	}
	dpor->n_steps++;
}

static void keep_options(struct dpor *dpor)
{
	struct rfs_dpor_trace *trace = &dpor->trace;

	dpor->step.option = (uint32_t)trace->n_options;
	dpor->step.n_options = (uint32_t)dpor->n_options;
	dpor->step.held_back = dpor->held_back;
	if (!dpor_is_new(dpor))
		return;
	trace->options = rfs_policy_grow(trace->options, &dpor->options_capacity, trace->n_options + dpor->n_options,
					 sizeof(*trace->options));
	for (size_t i = 0; i < dpor->n_options; i++)
		trace->options[trace->n_options++] = dpor->options[i];
}

static void open_step(struct dpor *dpor, const struct rfs_dpor_option *option, const struct rfs_op *op)
{
	dpor->step = (struct rfs_dpor_step){
		.op = *op, .thread = option->thread, .waiter = option->waiter, .outcome = option->outcome};
	dpor->open = true;
	keep_options(dpor);
}

static const struct rfs_dpor_option *option_of(const struct dpor *dpor, const struct rfs_dpor_choice *choice)
{
	for (size_t i = 0; i < dpor->n_options; i++) {
		const struct rfs_dpor_option *option = &dpor->options[i];

		if (option->thread == choice->thread && option->waiter == choice->waiter &&
		    option->outcome == choice->outcome)
			return option;
	}
	return NULL;
}

static const struct rfs_dpor_option *planned(struct dpor *dpor)
{
	const struct rfs_dpor_option *option = option_of(dpor, &dpor->plan.choices[dpor->n_steps]);

	dpor->trace.strayed |= !option;
	return option;
}

/* The next choice of the guide. NULL: it has ended, or this choice is not possible, which ends it. */
static const struct rfs_dpor_option *guided(struct dpor *dpor)
{
	const size_t at = dpor->n_steps - dpor->plan.n_choices;
	const struct rfs_dpor_option *option = NULL;

	if (at < dpor->plan.n_guide && !dpor->over)
		option = option_of(dpor, &dpor->plan.guide[at]);
	for (size_t i = 0; i < dpor->n_options && !option && at < dpor->plan.n_guide && !dpor->over; i++)
		if (dpor->options[i].thread == dpor->plan.guide[at].thread)
			option = &dpor->options[i];
	if (option && dpor_is_asleep(dpor, option))
		option = NULL;
	if (!option)
		dpor->plan.n_guide = 0;
	return option;
}

/* The operations of the other threads, in case that the execution ends with this step. */
static void note_left(struct dpor *dpor, const struct rfs_view *view)
{
	struct rfs_dpor_trace *trace = &dpor->trace;

	trace->n_left = 0;
	trace->left = rfs_policy_grow(trace->left, &dpor->left_capacity, view->n_threads, sizeof(*trace->left));
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].thread != dpor->step.thread)
			trace->left[trace->n_left++] =
				(struct rfs_dpor_left){.op = view->threads[i].next, .thread = view->threads[i].thread};
}

/* Spin loops whose rounds are left out, and deadlines before which others ran first. */
static void note_assumptions(struct dpor *dpor, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++)
		dpor->trace.repeated |= view->threads[i].next.kind == RFS_OP_SPIN_READ &&
					!(view->threads[i].flags & RFS_THREAD_ENABLED);
	dpor->trace.timed |= view->time_can_pass;
}

static int dpor_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct dpor *dpor = opaque;
	const struct rfs_dpor_option *option = NULL;
	const struct rfs_thread_view *t;

	close_step(dpor);
	collect_options(dpor, view);
	if (!dpor->n_options)
		return -EINVAL;
	if (dpor->n_threads > 1)
		option = dpor->n_steps < dpor->plan.n_choices ? planned(dpor) : guided(dpor);
	if (!option)
		option = dpor_usual(dpor, view);
	if (!option) {
		dpor->over = dpor->trace.redundant = true;
		option = dpor_usual(dpor, view);
	}
	if (dpor->n_steps == RFS_DPOR_STEPS_MAX && !dpor->over)
		dpor->over = dpor->trace.cut = true;
	t = dpor_find(view, option->thread);
	if (dpor->n_threads > 1) {
		note_assumptions(dpor, view);
		open_step(dpor, option, &t->next);
		if (!dpor->over)
			note_left(dpor, view);
	}
	dpor->current = option->thread;
	out->thread = option->thread;
	out->outcome = (enum rfs_outcome)option->outcome;
	out->waiter = option->waiter;
	if (dpor->n_threads <= 1)
		rfs_candidates_alone(view, out);
	return 0;
}

/* ---- events ---- */

static void dpor_executed(struct dpor *dpor, const struct rfs_event *event)
{
	const struct rfs_dpor_option only = {event->thread, -1, event->outcome, true};
	const bool gives_up = rfs_loops_gives_up(&event->op, event->outcome);
	bool waits = dpor->n_threads > 1 && rfs_loops_ran(&dpor->loops, event->thread, &event->op, event->outcome);

	if (dpor->open && dpor->step.thread == event->thread) {
		int peer = dpor->step.op.peer;

		dpor->step.op = event->op;
		if (event->op.kind == RFS_OP_CREATE && event->op.peer < 0)
			dpor->step.op.peer = peer;
	} else if (dpor->n_threads > 1) {
		/* the thread continued without a choice, because no other one could run */
		close_step(dpor);
		dpor->n_options = dpor->held_back = 0;
		dpor->options = rfs_policy_grow(dpor->options, &dpor->choice_capacity, 1, sizeof(*dpor->options));
		dpor->options[dpor->n_options++] = only;
		if (dpor->n_steps < dpor->plan.n_choices && !planned(dpor))
			dpor->trace.strayed = true;
		open_step(dpor, &only, &event->op);
	}
	if (dpor->spinning.sum && dpor->fair.last != event->thread + 1)
		rfs_spinning_restart(&dpor->spinning);
	rfs_spinning_note(&dpor->spinning, event->thread, &event->op);
	if (rfs_spinning_left(&dpor->spinning, LOOKS_MOST) == 0) {
		waits = true;
		rfs_spinning_restart(&dpor->spinning);
	}
	rfs_fair_ran(&dpor->fair, event->thread, gives_up || waits, waits);
}

static void dpor_event(void *opaque, const struct rfs_event *event)
{
	struct dpor *dpor = opaque;

	switch (event->kind) {
	case RFS_EVENT_THREAD:
		dpor->n_threads++;
		if (dpor->open && dpor->step.op.kind == RFS_OP_CREATE && dpor->step.thread == event->op.peer)
			dpor->step.op.peer = event->thread;
		return;
	case RFS_EVENT_OP:
		if (event->thread >= 0)
			dpor_executed(dpor, event);
		return;
	case RFS_EVENT_LEFT:
		dpor->deadlock = true;
		if (dpor->over || event->thread != dpor->step.thread)
			return;
		dpor->trace.left = rfs_policy_grow(dpor->trace.left, &dpor->left_capacity, dpor->trace.n_left + 1,
						   sizeof(*dpor->trace.left));
		dpor->trace.left[dpor->trace.n_left++] =
			(struct rfs_dpor_left){.op = event->op, .thread = event->thread};
		return;
	default:
		return;
	}
}

/* ---- the end ---- */

/*
 * Whether the last step has ended the process. Then it depends on all that happened, and on all that could still
 * happen. A cycle of locks ends a run although other threads could run: then one of them did not depend on the last
 * step.
 */
static bool ended_process(const struct dpor *dpor)
{
	const struct rfs_dpor_trace *trace = &dpor->trace;
	const struct rfs_dpor_step *last = &trace->steps[trace->n_steps - 1];

	if (!dpor->deadlock)
		return last->op.kind != RFS_OP_EXIT;
	for (size_t i = 0; i < trace->n_left; i++)
		for (size_t k = 0; k < last->n_options; k++)
			if (trace->left[i].thread != last->thread &&
			    trace->options[last->option + k].thread == trace->left[i].thread &&
			    !rfs_dependent(last->thread, &last->op, trace->left[i].thread, &trace->left[i].op))
				return true;
	return false;
}

static int dpor_save(void *opaque, struct rfs_blob *blob)
{
	struct dpor *dpor = opaque;
	struct rfs_dpor_trace *trace = &dpor->trace;

	close_step(dpor);
	if (dpor->n_steps < dpor->plan.n_choices)
		trace->strayed = true;
	if (dpor->over)
		trace->n_left = 0;
	else if (trace->n_steps)
		trace->steps[trace->n_steps - 1].on_all |= ended_process(dpor);
	rfs_dpor_trace_write(trace, blob);
	return 0;
}

static void dpor_fini(void *opaque)
{
	struct dpor *dpor = opaque;

	rfs_dpor_plan_release(&dpor->plan);
	rfs_dpor_trace_release(&dpor->trace);
	rfs_loops_release(&dpor->loops);
	free(dpor->options);
	free(dpor);
}

const struct rfs_policy_ops rfs_policy_dpor = {
	.abi = RFS_POLICY_ABI,
	.name = "dpor",
	.flags = RFS_POLICY_NEEDS_CALLS,
	.summary = "all schedules that differ, one after the other (wakeup trees and sleep sets, POPL 2014)",
	.init = dpor_init,
	.pick = dpor_pick,
	.event = dpor_event,
	.save = dpor_save,
	.fini = dpor_fini,
};
