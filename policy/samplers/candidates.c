#include "policy/samplers/candidates.h"

#include <stdlib.h>

#include "policy/core/alloc.h"

/*
 * The probability 1/8 that a sleeping thread may run before awake ones, or that an operation which could also complete
 * times out. It is low, so a program with long sleeps mostly runs in the intended order. It is high enough for the 100
 * runs of a pair: all of them miss an early end with probability (7/8)^100 < 2e-6.
 */
#define EARLY_NUMERATOR 1
#define EARLY_DENOMINATOR 8

/* If time has passed so often and no thread has moved, only timers are due, whose signals are ignored. */
#define MAX_PASSES 8

enum rfs_candidate_class rfs_candidate_class(const struct rfs_thread_view *thread)
{
	if ((thread->flags & RFS_THREAD_CAN_TIME_OUT) && !(thread->flags & RFS_THREAD_READY))
		return RFS_CANDIDATE_SLEEPING;
	if (!(thread->flags & RFS_THREAD_ENABLED))
		return thread->flags & RFS_THREAD_CAN_TIME_OUT ? RFS_CANDIDATE_AWAKE : RFS_CANDIDATE_NONE;
	if (thread->flags & RFS_THREAD_SLEEPS)
		return RFS_CANDIDATE_SLEEPING;
	return thread->flags & RFS_THREAD_YIELDED ? RFS_CANDIDATE_YIELDED : RFS_CANDIDATE_AWAKE;
}

static void candidates_append(struct rfs_candidates *list, const struct rfs_thread_view *thread)
{
	list->threads = rfs_policy_grow(list->threads, &list->capacity, list->n + 1, sizeof(*list->threads));
	list->threads[list->n++] = thread;
}

void rfs_candidates_awake(struct rfs_candidates *list, const struct rfs_view *view, struct rfs_rng *rng,
			  rfs_candidate_filter *filter, void *arg)
{
	list->n = 0;
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *thread = &view->threads[i];
		enum rfs_candidate_class class = rfs_candidate_class(thread);

		if (filter && !filter(arg, thread))
			continue;
		if (class == RFS_CANDIDATE_AWAKE ||
		    (class == RFS_CANDIDATE_SLEEPING && rfs_rng_chance(rng, EARLY_NUMERATOR, EARLY_DENOMINATOR)))
			candidates_append(list, thread);
	}
}

void rfs_candidates_of_class(struct rfs_candidates *list, const struct rfs_view *view, enum rfs_candidate_class class,
			     rfs_candidate_filter *filter, void *arg)
{
	list->n = 0;
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *thread = &view->threads[i];

		if (rfs_candidate_class(thread) == class && (!filter || filter(arg, thread)))
			candidates_append(list, thread);
	}
}

void rfs_candidates_all(struct rfs_candidates *list, const struct rfs_view *view, rfs_candidate_filter *filter,
			void *arg)
{
	list->n = 0;
	for (size_t i = 0; i < view->n_threads; i++) {
		if (filter(arg, &view->threads[i]))
			candidates_append(list, &view->threads[i]);
	}
}

void rfs_candidates_collect(struct rfs_candidates *list, const struct rfs_view *view, struct rfs_rng *rng)
{
	rfs_candidates_awake(list, view, rng, NULL, NULL);
	if (list->n == 0)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, NULL, NULL);
	if (list->n == 0)
		rfs_candidates_of_class(list, view, RFS_CANDIDATE_SLEEPING, NULL, NULL);
}

void rfs_candidates_remove(struct rfs_candidates *list, size_t i)
{
	for (list->n--; i < list->n; i++)
		list->threads[i] = list->threads[i + 1];
}

void rfs_candidates_release(struct rfs_candidates *list)
{
	free(list->threads);
	*list = (struct rfs_candidates){0};
}

bool rfs_candidates_pass_time(struct rfs_time_passes *passes, const struct rfs_view *view, uint64_t until,
			      struct rfs_choice *out)
{
	if (!view->time_can_pass || view->due > until)
		return false;
	passes->n = passes->at == view->step ? passes->n + 1 : 1;
	passes->at = view->step;
	if (passes->n > MAX_PASSES)
		return false;
	out->thread = RFS_TIME_PASSES;
	return true;
}

void rfs_candidates_alone(const struct rfs_view *view, struct rfs_choice *out)
{
	if (view->n_threads > 1)
		return;
	out->hint = UINT32_MAX;
	out->steady = true;
}

bool rfs_candidates_single(const struct rfs_view *view)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n_threads; i++)
		n += rfs_candidate_class(&view->threads[i]) != RFS_CANDIDATE_NONE;
	return n == 1;
}

/* The operation that a thread has before it while it waits for this one. NONE: nobody waits for it. */
static enum rfs_op_kind asleep_kind(enum rfs_op_kind wake)
{
	return wake == RFS_OP_COND_SIGNAL  ? RFS_OP_COND_WAKE
	       : wake == RFS_OP_FUTEX_WAKE ? RFS_OP_FUTEX_SLEEP
					   : RFS_OP_NONE;
}

bool rfs_candidate_waits(const struct rfs_thread_view *thread, const struct rfs_op *wake)
{
	bool able = (thread->flags & RFS_THREAD_ENABLED) && !(thread->flags & RFS_THREAD_SLEEPS);
	bool timed = thread->flags & RFS_THREAD_CAN_TIME_OUT;

	if (asleep_kind(wake->kind) == RFS_OP_NONE || thread->next.kind != asleep_kind(wake->kind) ||
	    thread->next.object != wake->object || (thread->flags & RFS_THREAD_WOKEN))
		return false;
	return timed ? !(thread->flags & RFS_THREAD_READY) : !able;
}

/* Two passes over the view need no list. They are cheap enough, because wakes are much rarer than picks. */
static int draw_waiter(const struct rfs_view *view, const struct rfs_op *wake, struct rfs_rng *rng)
{
	uint64_t n = 0, chosen;

	for (size_t i = 0; i < view->n_threads; i++)
		n += rfs_candidate_waits(&view->threads[i], wake);
	if (n == 0)
		return -1;
	chosen = rfs_rng_below(rng, n);
	for (size_t i = 0; i < view->n_threads; i++) {
		if (rfs_candidate_waits(&view->threads[i], wake) && chosen-- == 0)
			return view->threads[i].thread;
	}
	return -1;
}

void rfs_candidates_choose(const struct rfs_view *view, const struct rfs_thread_view *thread, struct rfs_rng *rng,
			   struct rfs_choice *out)
{
	out->thread = thread->thread;
	if (thread->flags & RFS_THREAD_CAN_TIME_OUT) {
		if (!(thread->flags & RFS_THREAD_READY) || rfs_rng_chance(rng, EARLY_NUMERATOR, EARLY_DENOMINATOR))
			out->outcome = RFS_OUTCOME_TIMED_OUT;
	}
	if (asleep_kind(thread->next.kind) != RFS_OP_NONE)
		out->waiter = draw_waiter(view, &thread->next, rng);
}
