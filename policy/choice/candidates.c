/*
 * candidates.c - sorts the enabled threads into classes, decides which class may be drawn from, and draws outcomes
 * and waiters. Which candidate runs is up to the policy.
 */
#include "policy/choice/candidates.h"

#include <stdlib.h>

#include "policy/core/alloc.h"
#include "policy/core/op.h"
#include "policy/policy.h"

/*
 * The probability 1/8 that a sleeping thread may run before awake ones, or that an operation which could also complete
 * times out. It is low, so a program with long sleeps mostly runs in the intended order. It is high enough for the 100
 * runs of a pair: all of them miss an early end with probability (7/8)^100 < 2e-6.
 */
#define EARLY_NUMERATOR 1
#define EARLY_DENOMINATOR 8

/*
 * What a yield or sleep means. One thread in four is hasty: its calls return at once 7 times in 8, as on a machine with
 * a free core, so that even ten of them in a row are not rare. For all others, and after HASTY_MOST times, it happens
 * once in 16 times: a loop that waits costs few operations, and no order is impossible.
 */
#define HASTY_THREADS 4
#define HASTY_NUMERATOR 7
#define HASTY_DENOMINATOR 8
#define HASTY_MOST 64
#define SELDOM 16

/* The mean number of operations for which a thread runs on after its yield or sleep has returned at once. */
#define RUNS_ON 16

struct rfs_haste {
	bool known, hasty; /* hasty: valid if known */
	unsigned n;	   /* how often it went on at once */
};

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

/* Whether the yield or sleep of this thread returns at once. */
static bool draw_goes_on(struct rfs_candidates *list, int thread, struct rfs_rng *rng)
{
	struct rfs_haste *haste;
	bool goes_on;

	list->haste = rfs_policy_grow(list->haste, &list->haste_capacity, (size_t)thread + 1, sizeof(*list->haste));
	haste = &list->haste[thread];
	if (!haste->known)
		*haste = (struct rfs_haste){.known = true, .hasty = rfs_rng_chance(rng, 1, HASTY_THREADS)};
	if (haste->hasty && haste->n < HASTY_MOST)
		goes_on = rfs_rng_chance(rng, HASTY_NUMERATOR, HASTY_DENOMINATOR);
	else
		goes_on = rfs_rng_chance(rng, 1, SELDOM);
	haste->n += goes_on;
	return goes_on;
}

/* Finds the thread that goes on. NULL: there is none. */
static const struct rfs_thread_view *find_going(struct rfs_candidates *list, const struct rfs_view *view,
						struct rfs_rng *rng, rfs_candidate_filter *filter, void *arg)
{
	const struct rfs_thread_view *going = NULL;

	/* a policy with RFS_POLICY_SINGLE may not be asked then, so nothing is drawn or learnt */
	if (rfs_candidates_single(view))
		return NULL;
	for (size_t i = 0; i < view->n_threads && list->going; i++)
		if (view->threads[i].thread == list->going - 1 &&
		    rfs_candidate_class(&view->threads[i]) == RFS_CANDIDATE_AWAKE && !rfs_rng_chance(rng, 1, RUNS_ON))
			going = &view->threads[i];
	for (size_t i = 0; i < view->n_threads && !going; i++) {
		const struct rfs_thread_view *t = &view->threads[i];
		const enum rfs_candidate_class class = rfs_candidate_class(t);

		/* once for each yield or sleep: the thread has just executed it, or is now parked before it */
		if (t->thread == list->last - 1 &&
		    (class == RFS_CANDIDATE_YIELDED || class == RFS_CANDIDATE_SLEEPING) &&
		    draw_goes_on(list, t->thread, rng))
			going = t;
	}
	if (going && filter && !filter(arg, going))
		going = NULL;
	list->going = going ? going->thread + 1 : 0;
	return going;
}

void rfs_candidates_awake(struct rfs_candidates *list, const struct rfs_view *view, struct rfs_rng *rng,
			  rfs_candidate_filter *filter, void *arg)
{
	const struct rfs_thread_view *going = find_going(list, view, rng, filter, arg);

	list->n = 0;
	if (going) {
		candidates_append(list, going);
		return;
	}
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

bool rfs_candidates_goes_on(const struct rfs_candidates *list, int thread)
{
	return list->going == thread + 1;
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

static bool is_half(const struct rfs_thread_view *thread, const struct rfs_view *view)
{
	struct rfs_op write = thread->next;

	if (!(write.access & RFS_ACCESS_RMW) || (write.access & RFS_ACCESS_WRITE))
		return false;
	write.access |= RFS_ACCESS_WRITE;
	for (size_t i = 0; i < view->n_threads; i++)
		if (view->threads[i].thread != thread->thread && rfs_ops_race(&write, &view->threads[i].next))
			return true;
	return false;
}

void rfs_candidates_keep_halves(struct rfs_candidates *list, const struct rfs_view *view)
{
	size_t n = 0;

	/* without a half, no entry is moved */
	for (size_t i = 0; i < list->n; i++)
		if (is_half(list->threads[i], view))
			list->threads[n++] = list->threads[i];
	list->n = n ? n : list->n;
}

void rfs_candidates_release(struct rfs_candidates *list)
{
	free(list->threads);
	free(list->haste);
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

void rfs_candidates_choose(struct rfs_candidates *list, const struct rfs_view *view,
			   const struct rfs_thread_view *thread, struct rfs_rng *rng, struct rfs_choice *out)
{
	if (!rfs_candidates_single(view))
		list->last = thread->thread + 1;
	out->thread = thread->thread;
	if (thread->flags & RFS_THREAD_CAN_TIME_OUT) {
		if (!(thread->flags & RFS_THREAD_READY) || rfs_rng_chance(rng, EARLY_NUMERATOR, EARLY_DENOMINATOR))
			out->outcome = RFS_OUTCOME_TIMED_OUT;
	}
	if (asleep_kind(thread->next.kind) != RFS_OP_NONE)
		out->waiter = draw_waiter(view, &thread->next, rng);
}
