/*
 * rapos.c - random partial order sampling (Sen, Effective Random Testing of Concurrent Programs, ASE 2007, figures 4
 * and 5). It does not sample interleavings but partial orders of dependent operations.
 *
 *	schedulable := Enabled(s)
 *	while some thread is enabled:
 *	    scheduled := a random non-empty subset of schedulable whose operations are independent of each other
 *	    execute all of scheduled, in any order
 *	    schedulable := the enabled threads whose next operation depends on one just executed
 *	    if schedulable is empty: schedulable := one random enabled thread
 *
 * Figure 5 draws scheduled. Its first element is uniform. Each further element that is independent of all taken so far
 * is taken with probability 1/2. These are tried in a random order, because a fixed order would favour the threads that
 * come first.
 *
 * Where this differs from the printed algorithm:
 *
 *  - "Depends on" is the table of dependence.h and one more rule. An operation that became enabled or changed while
 *    scheduled was executed depends on what was executed. This follows from the definition of dependence, even if the
 *    table does not show why: an invisible access may have written the value of a spin read, or a signal may have woken
 *    the thread.
 *  - Yielded and sleeping threads are candidates as candidates.h describes. One that is left out of a draw for that
 *    reason stays schedulable.
 *  - Creating and starting a thread are operations here. In the paper, all threads exist from the beginning. An
 *    operation left out of scheduled waits until something that it depends on is executed. Only the created thread
 *    depends on a creation. So the coin of figure 5 would delay half of the creations until all other threads have
 *    ended. The program would run as if it had fewer threads. (For seven threads with a lock each, 300 executions
 *    reached 80 of 144 orders, instead of 119 to 131.) So with probability 7/8, a creation or start is executed at
 *    once, as a part of the transition before it. With probability 1/8 it is an ordinary operation, so theorem 1 still
 *    holds. This matters: a signal may come between, and accesses that are no operations may follow a start.
 *  - An unlock is a part of the transition before it: the lock, or the last operation in the section. The paper has
 *    no transition for it. A separate transition would cost one more coin for each section, so threads that only pass
 *    through sections would fall behind. Nothing that depends on the unlock can come between, unless an operation looks
 *    whether the lock is held, shares it, or interrupts the thread. An unlock is an ordinary operation if a thread is
 *    parked before such an operation on the same lock. Otherwise another thread may still arrive at one. So unlocks are
 *    executed at once with probability 7/8, and with 1/2 only once a thread was parked before any such operation.
 *  - Patience: a thread that depends on nothing that is executed is picked only when schedulable becomes empty. If
 *    another thread spins (on a trylock, for example), schedulable never becomes empty. So a thread that could be
 *    picked but was not for `patience` operations becomes schedulable. This only adds choices, so theorem 1 holds.
 *
 * Draws (part of the record format, rng.h). Each pick draws, in this order:
 *
 *  1. for each thread newly parked before CREATE or START, ascending, whether it is executed at once; the same for
 *     UNLOCK if no thread is parked before an operation that looks at the holders of this lock;
 *  2. if the pick begins a new set, the draws of rfs_candidates_collect();
 *  3. then, if schedulable is empty, the one random thread. Otherwise the shuffle of schedulable, from its end to its
 *     front, and a coin for each independent thread except the first;
 *  4. the draws of rfs_candidates_choose().
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/choice/candidates.h"
#include "policy/core/alloc.h"
#include "policy/core/dependence.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

/* In real programs, a thread executes fewer operations than this between two operations that depend on another thread.
 * A spinning thread soon executes more. */
#define DEFAULT_PATIENCE 1000

/* The probability that a creation or start is executed at once, and an unlock while no operation was seen that could
 * come between the last one in a section and the unlock. */
#define AT_ONCE_NUMERATOR 7
#define AT_ONCE_DENOMINATOR 8

struct executed {
	int thread;
	struct rfs_op op;
};

/* What rapos_look() saw of a thread at the last pick. */
struct known {
	struct rfs_op op;
	bool seen, able;
	bool fresh;	/* became enabled, or got another next operation, since the last set was drawn */
	bool at_once;	/* parked before a creation, start or unlock that will be executed as soon as possible */
	uint64_t since; /* view->step when it was last found enabled anew or at a new operation */
};

struct rapos {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct known *known;		  /* by thread number */
	size_t known_capacity;
	struct executed *scheduled; /* the current set; at to n_scheduled - 1 are still to be executed */
	size_t n_scheduled, at, scheduled_capacity;
	struct executed *executed; /* those executed since the last set was drawn */
	size_t n_executed, executed_capacity;
	uint64_t patience;
	bool unlocks_matter; /* an operation was seen that could come between the last one in a section and the unlock
			      */
};

static int rapos_init(void **out, const struct rfs_policy_args *args)
{
	struct rapos *rapos;
	uint64_t patience = DEFAULT_PATIENCE;
	const struct rfs_policy_option options[] = {{"patience", &patience, NULL}};
	int err = rfs_policy_options_parse(args->options, options, 1);

	if (err)
		return err;
	rapos = rfs_policy_zalloc(1, sizeof(*rapos));
	rapos->patience = patience;
	rfs_rng_init(&rapos->rng, args->seed);
	*out = rapos;
	return 0;
}

/* Compares field by field, because a struct may have padding. */
static bool rapos_same_op(const struct rfs_op *a, const struct rfs_op *b)
{
	return a->kind == b->kind && a->access == b->access && a->peer == b->peer && a->site == b->site &&
	       a->object == b->object && a->object2 == b->object2 && a->size == b->size;
}

static struct known *known_of(struct rapos *rapos, int thread)
{
	rapos->known = rfs_policy_grow(rapos->known, &rapos->known_capacity, (size_t)thread + 1, sizeof(*rapos->known));
	return &rapos->known[thread];
}

/*
 * Whether the operation may come between a thread's operation in a section and its unlock, and depends on the unlock:
 * one that sees that the lock is held, that shares it, or that interrupts the thread.
 */
static bool looks_at_holders(const struct rfs_thread_view *t)
{
	switch (t->next.kind) {
	case RFS_OP_TRYLOCK:
	case RFS_OP_RDLOCK:
	case RFS_OP_KILL:
		return true;
	case RFS_OP_LOCK:
	case RFS_OP_WRLOCK:
		return t->flags & RFS_THREAD_CAN_TIME_OUT;
	default:
		return false;
	}
}

/* Whether a thread is parked before an operation that looks at the holders of this lock. */
static bool is_looked_at(const struct rfs_view *view, rfs_addr lock)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];

		if (looks_at_holders(t) && (t->next.kind == RFS_OP_KILL || t->next.object == lock))
			return true;
	}
	return false;
}

/* Whether the operation is executed at once, as a part of the transition before it. */
static bool draw_at_once(struct rapos *rapos, const struct rfs_view *view, const struct rfs_op *op)
{
	if (op->kind == RFS_OP_UNLOCK) {
		if (is_looked_at(view, op->object))
			return false;
		if (rapos->unlocks_matter)
			return rfs_rng_chance(&rapos->rng, 1, 2);
	} else if (op->kind != RFS_OP_CREATE && op->kind != RFS_OP_START) {
		return false;
	}
	return rfs_rng_chance(&rapos->rng, AT_ONCE_NUMERATOR, AT_ONCE_DENOMINATOR);
}

static void rapos_look(struct rapos *rapos, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++)
		rapos->unlocks_matter |= looks_at_holders(&view->threads[i]);
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];
		struct known *known = known_of(rapos, t->thread);
		bool able = rfs_candidate_class(t) != RFS_CANDIDATE_NONE;

		if (!known->seen || (able && !known->able) || !rapos_same_op(&known->op, &t->next)) {
			known->fresh = true;
			known->since = view->step;
			known->at_once = draw_at_once(rapos, view, &t->next);
		}
		known->seen = true;
		known->able = able;
		known->op = t->next;
	}
}

/* The first thread whose operation is executed at once; NULL if there is none. */
static const struct rfs_thread_view *first_at_once(const struct rapos *rapos, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];

		if (rapos->known[t->thread].at_once && rfs_candidate_class(t) == RFS_CANDIDATE_AWAKE)
			return t;
	}
	return NULL;
}

static bool is_schedulable(const struct rapos *rapos, const struct rfs_view *view, const struct rfs_thread_view *t)
{
	const struct known *known = &rapos->known[t->thread];

	if (known->fresh || view->step - known->since >= rapos->patience)
		return true;
	for (size_t i = 0; i < rapos->n_executed; i++) {
		const struct executed *e = &rapos->executed[i];

		if (rfs_dependent(e->thread, &e->op, t->thread, &t->next))
			return true;
	}
	return false;
}

static bool is_independent(const struct rapos *rapos, const struct rfs_thread_view *t)
{
	for (size_t i = 0; i < rapos->n_scheduled; i++) {
		const struct executed *e = &rapos->scheduled[i];

		if (rfs_dependent(e->thread, &e->op, t->thread, &t->next))
			return false;
	}
	return true;
}

static void rapos_schedule(struct rapos *rapos, const struct rfs_thread_view *t)
{
	rapos->scheduled = rfs_policy_grow(rapos->scheduled, &rapos->scheduled_capacity, rapos->n_scheduled + 1,
					   sizeof(*rapos->scheduled));
	rapos->scheduled[rapos->n_scheduled++] = (struct executed){t->thread, t->next};
}

/* Figure 5: draws scheduled from the candidates, which are all schedulable here. */
static void draw_independent(struct rapos *rapos)
{
	const struct rfs_thread_view **list = rapos->candidates.threads;

	for (size_t i = rapos->candidates.n; i > 1; i--) {
		size_t j = rfs_rng_below(&rapos->rng, i);
		const struct rfs_thread_view *swapped = list[i - 1];

		list[i - 1] = list[j];
		list[j] = swapped;
	}
	rapos_schedule(rapos, list[0]);
	for (size_t i = 1; i < rapos->candidates.n; i++) {
		if (is_independent(rapos, list[i]) && rfs_rng_chance(&rapos->rng, 1, 2))
			rapos_schedule(rapos, list[i]);
	}
}

static bool rapos_is_candidate(const struct rapos *rapos, const struct rfs_thread_view *t)
{
	for (size_t i = 0; i < rapos->candidates.n; i++)
		if (rapos->candidates.threads[i] == t)
			return true;
	return false;
}

/*
 * A set is about to be drawn. What is schedulable but no candidate, because it yields or sleeps or another thread goes
 * on, stays schedulable. Otherwise no set could contain it before something that it depends on is executed.
 */
static void keep_fresh(struct rapos *rapos, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *t = &view->threads[i];
		struct known *known = &rapos->known[t->thread];

		known->fresh = known->able && is_schedulable(rapos, view, t) && !rapos_is_candidate(rapos, t);
	}
}

/* The rest of the loop of figure 4: draws a new set. */
static int draw_set(struct rapos *rapos, const struct rfs_view *view)
{
	struct rfs_candidates *list = &rapos->candidates;
	size_t n = 0;

	rapos->n_scheduled = rapos->at = 0;
	rfs_candidates_collect(list, view, &rapos->rng);
	if (list->n == 0)
		return -EINVAL; /* no thread can run: the caller must not call pick then */
	for (size_t i = 0; i < list->n; i++) {
		const struct rfs_thread_view *t = list->threads[i];

		if (is_schedulable(rapos, view, t)) {
			list->threads[i] = list->threads[n];
			list->threads[n++] = t;
		}
	}
	keep_fresh(rapos, view);
	if (n == 0) {
		rapos_schedule(rapos, list->threads[rfs_rng_below(&rapos->rng, list->n)]);
	} else {
		list->n = n;
		draw_independent(rapos);
	}
	rapos->n_executed = 0;
	return 0;
}

/* The next thread of scheduled that is still parked at the same operation and can run; NULL if none is left. */
static const struct rfs_thread_view *next_scheduled(struct rapos *rapos, const struct rfs_view *view)
{
	while (rapos->at < rapos->n_scheduled) {
		const struct executed *e = &rapos->scheduled[rapos->at++];

		for (size_t i = 0; i < view->n_threads; i++) {
			const struct rfs_thread_view *t = &view->threads[i];

			if (t->thread == e->thread && rapos_same_op(&t->next, &e->op) &&
			    rfs_candidate_class(t) != RFS_CANDIDATE_NONE)
				return t;
		}
	}
	return NULL;
}

static int rapos_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct rapos *rapos = opaque;
	const struct rfs_thread_view *t;

	rapos_look(rapos, view);
	t = first_at_once(rapos, view);
	if (!t)
		t = next_scheduled(rapos, view);
	if (!t) {
		int err = draw_set(rapos, view);

		if (err)
			return err;
		t = next_scheduled(rapos, view);
	}
	rapos->executed = rfs_policy_grow(rapos->executed, &rapos->executed_capacity, rapos->n_executed + 1,
					  sizeof(*rapos->executed));
	rapos->executed[rapos->n_executed++] = (struct executed){t->thread, t->next};
	/* Its next operation counts as new, even if it looks the same, as in a loop. */
	rapos->known[t->thread].seen = false;
	rfs_candidates_choose(&rapos->candidates, view, t, &rapos->rng, out);
	rfs_candidates_alone(view, out);
	return 0;
}

static void rapos_fini(void *opaque)
{
	struct rapos *rapos = opaque;

	rfs_candidates_release(&rapos->candidates);
	free(rapos->known);
	free(rapos->scheduled);
	free(rapos->executed);
	free(rapos);
}

const struct rfs_policy_ops rfs_policy_rapos = {
	.abi = RFS_POLICY_ABI,
	.name = "rapos",
	.summary = "random partial orders: many different outcomes in few runs (RAPOS, ASE 2007)",
	.init = rapos_init,
	.pick = rapos_pick,
	.fini = rapos_fini,
};
