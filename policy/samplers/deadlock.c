/*
 * deadlock.c - creates one predicted deadlock on purpose (DeadlockFuzzer: Joshi, Park, Sen & Naik, A Randomized Dynamic
 * Program Analysis Technique for Detecting Real Deadlocks, PLDI 2009, algorithm 4).
 *
 * Threads are picked at random. A picked thread that holds the outer lock of a part of the cycle, and is about to
 * acquire its inner lock, is postponed. It stays there until each part has a thread. The threads then wait for each
 * other. If these are locks that the run knows, it reports the cycle before anything is picked. Otherwise all of them
 * are let go: they wait in the kernel, or spin.
 *
 * Where this differs from the printed algorithm:
 *
 *  - The paper identifies locks by their allocation site, so it may postpone threads whose locks form no cycle. Here
 *    the locks of a postponed thread must fit those of its neighbours. The previous thread wants a lock that this one
 *    holds, and this one wants a lock that the next one holds.
 *  - The same code may acquire several locks of the cycle. If so, postponed threads may change their parts when another
 *    thread comes.
 *  - A reader may wait for a lock only because a writer waits for it. So if the previous thread queues behind a thread,
 *    that thread is let go before the others.
 *  - In every second run, the first thread at the cycle is postponed only every second time. Another thread may need
 *    its outer lock to reach its own part.
 *  - In two of four runs, a thread that is about to acquire an outer lock is drawn only if no other thread can be drawn
 *    (section 5.3 of the paper, "yields"). The others may need this lock to reach theirs.
 *  - A thread that was postponed for more than `patience` operations is let go. One of the postponed threads is also
 *    let go if the other threads only spin (spinning.h). As in racefuzzer, each such livelock halves the next limits.
 *  - Sleeping threads: as in racefuzzer, in half of the runs time passes before a postponed thread is let go, as far as
 *    --sleep-race allows (postponed_time.h).
 *
 * Draws (part of the record format, rng.h). A pick that executes a thread of a complete cycle draws only the last item.
 * Any other pick draws, in this order:
 *
 *  1. if the threads that run only spin, the postponed thread to let go;
 *  2. a chance for each sleeping thread (candidates.h);
 *  3. the candidate; if it is the first at the cycle, and the seed is odd, the chance to skip. If this candidate is
 *     postponed, step 3 is repeated with the next one;
 *  4. if no candidate is left, the postponed thread to let go;
 *  5. the draws of rfs_candidates_choose().
 *
 * Whether time passes is drawn once, at init, from a separate stream.
 *
 *  patience=N   a thread postponed for more than N operations is let go, as a livelock (default 10000)
 */
#include "policy/builtin.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/choice/candidates.h"
#include "policy/choice/postponed_time.h"
#include "policy/choice/spinning.h"
#include "policy/core/alloc.h"
#include "policy/core/cycle_place.h"
#include "policy/core/options.h"
#include "policy/core/rng.h"

/* As in racefuzzer. */
#define DEFAULT_PATIENCE 10000
#define LEAST_PATIENCE 10
/* Threads find parts after few tries, unless many threads fit at many parts. */
#define MAX_TRIES 10000
#define OWN_STREAM UINT64_C(0x646561646c6f636b)

enum hold {
	HOLD_FREE,
	HOLD_POSTPONED,
	HOLD_LET_GO, /* not postponed again before this operation has run */
	HOLD_FIRST,  /* the cycle is complete: executes before anything else */
};

/* The state of one thread. hold is valid only while the thread is parked before op; part only if it is postponed. */
struct locking_thread {
	enum hold hold;
	unsigned part;
	uint64_t since; /* view->step when it was postponed */
	uint64_t until; /* the virtual time at which it is let go */
	struct rfs_op op;
};

struct deadlock {
	struct rfs_rng rng;
	struct rfs_candidates candidates; /* valid during one pick; kept to reuse its memory */
	struct locking_thread *threads;	  /* by thread number */
	size_t capacity, n_first;
	struct rfs_spinning spinning;
	uint64_t patience, spin_limit;
	uint64_t until;		   /* valid during one pick: time may pass until then */
	bool skips, yields, waits; /* of this run: see the head of the file */
	struct rfs_time_passes passes;
	unsigned n_outside; /* how often the outside has acted */
	uint64_t n_postponed, n_cycles, n_releases, n_livelocks;
};

static int deadlock_init(void **out, const struct rfs_policy_args *args)
{
	struct deadlock settings = {.patience = DEFAULT_PATIENCE, .spin_limit = RFS_SPINNING_LIMIT}, *deadlock;
	const struct rfs_policy_option options[] = {{"patience", &settings.patience, NULL}};
	int err = rfs_policy_options_parse(args->options, options, sizeof(options) / sizeof(*options));
	struct rfs_rng own;

	if (err)
		return err;
	rfs_rng_init_stream(&own, args->seed, OWN_STREAM);
	settings.skips = args->seed & 1;
	settings.yields = args->seed & 2;
	settings.waits = rfs_rng_chance(&own, 1, 2);
	rfs_rng_init(&settings.rng, args->seed);
	deadlock = rfs_policy_zalloc(1, sizeof(*deadlock));
	*deadlock = settings;
	*out = deadlock;
	return 0;
}

static struct locking_thread *deadlock_state_of(struct deadlock *deadlock, const struct rfs_thread_view *thread)
{
	return &deadlock->threads[thread->thread];
}

static bool deadlock_same_op(const struct rfs_op *a, const struct rfs_op *b)
{
	return a->kind == b->kind && a->site == b->site && a->object == b->object;
}

static void deadlock_set_hold(struct deadlock *deadlock, struct locking_thread *state, enum hold hold)
{
	deadlock->n_first -= state->hold == HOLD_FIRST;
	deadlock->n_first += hold == HOLD_FIRST;
	state->hold = hold;
}

static void deadlock_count_livelock(struct deadlock *deadlock)
{
	deadlock->n_livelocks++;
	if (deadlock->patience / 2 >= LEAST_PATIENCE)
		deadlock->patience /= 2;
	deadlock->spin_limit = rfs_spinning_next_limit(deadlock->spin_limit);
	rfs_spinning_restart(&deadlock->spinning);
}

static bool deadlock_can_move(const struct rfs_thread_view *thread)
{
	return rfs_candidate_class(thread) != RFS_CANDIDATE_NONE;
}

static bool deadlock_is_postponed(void *deadlock, const struct rfs_thread_view *thread)
{
	return deadlock_state_of(deadlock, thread)->hold == HOLD_POSTPONED && deadlock_can_move(thread);
}

/* Called before each pick. A thread that has run or ended without being picked is no longer postponed. */
static void deadlock_refresh(struct deadlock *deadlock, const struct rfs_view *view)
{
	int last = view->threads[view->n_threads - 1].thread;

	deadlock->threads =
		rfs_policy_grow(deadlock->threads, &deadlock->capacity, (size_t)last + 1, sizeof(*deadlock->threads));
	deadlock->until = RFS_ANY_TIME;
	for (size_t i = 0; i < view->n_threads; i++) {
		struct locking_thread *state = deadlock_state_of(deadlock, &view->threads[i]);

		if (state->hold == HOLD_FREE)
			continue;
		if (!deadlock_same_op(&state->op, &view->threads[i].next)) {
			deadlock_set_hold(deadlock, state, HOLD_FREE);
		} else if (state->hold == HOLD_POSTPONED && view->step - state->since > deadlock->patience) {
			deadlock_set_hold(deadlock, state, HOLD_LET_GO);
			deadlock_count_livelock(deadlock);
		} else if (state->hold == HOLD_POSTPONED && view->time > state->until) {
			deadlock_set_hold(deadlock, state, HOLD_LET_GO);
			deadlock->n_releases++;
		} else if (deadlock_is_postponed(deadlock, &view->threads[i]) && state->until < deadlock->until) {
			deadlock->until = state->until;
		}
	}
	if (deadlock->waits)
		deadlock->until = rfs_postponed_paced(deadlock->n_outside, view, deadlock->until);
}

static void deadlock_event(void *opaque, const struct rfs_event *event)
{
	struct deadlock *deadlock = opaque;

	if (event->kind == RFS_EVENT_OP)
		rfs_spinning_note(&deadlock->spinning, event->thread, &event->op);
}

/* ---- the cycle ---- */

static bool holds(const struct rfs_cycle_place *place, rfs_addr lock)
{
	for (size_t i = 0; i < place->n_held; i++)
		if (place->held[i] == lock)
			return true;
	return false;
}

/* Whether `before`, at the previous part, waits because of `after`, which is at this part. */
static bool waits_because_of(const struct rfs_cycle_place *before, const struct rfs_cycle_place *after, unsigned part)
{
	return after->behind >> part & 1 ? before->wanted == after->wanted : holds(after, before->wanted);
}

/* The thread that is postponed at this part; NULL: none. */
static const struct rfs_thread_view *postponed_at(struct deadlock *deadlock, const struct rfs_view *view, unsigned part)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct locking_thread *state = deadlock_state_of(deadlock, &view->threads[i]);

		if (state->hold == HOLD_POSTPONED && state->part == part)
			return &view->threads[i];
	}
	return NULL;
}

/* Whether the thread would fit to its postponed neighbours at this part. */
static bool deadlock_fits(struct deadlock *deadlock, const struct rfs_view *view, const struct rfs_cycle_place *place,
			  unsigned part)
{
	const unsigned next = (part + 1) % place->n_parts, last = (part + place->n_parts - 1) % place->n_parts;
	const struct rfs_thread_view *before = postponed_at(deadlock, view, last),
				     *after = postponed_at(deadlock, view, next);

	return (!before || waits_because_of(before->cycle, place, part)) &&
	       (!after || waits_because_of(place, after->cycle, next));
}

/*
 * An assignment of parts to threads. If the same code acquires several locks of a cycle, a thread fits at several
 * parts. Its own part is known only when its neighbours have come.
 */
struct assignment {
	const struct rfs_thread_view *threads[RFS_CYCLE_PARTS_MAX]; /* those that need a part */
	size_t n;
	const struct rfs_cycle_place *at[RFS_CYCLE_PARTS_MAX]; /* by part; NULL: free */
	unsigned part[RFS_CYCLE_PARTS_MAX];		       /* of each thread */
	unsigned tries;
};

/* Whether the thread at this part fits to its neighbours. */
static bool is_fitting(const struct assignment *assignment, unsigned part, unsigned n_parts)
{
	const unsigned next = (part + 1) % n_parts, last = (part + n_parts - 1) % n_parts;
	const struct rfs_cycle_place *place = assignment->at[part];

	return (!assignment->at[last] || waits_because_of(assignment->at[last], place, part)) &&
	       (!assignment->at[next] || waits_because_of(place, assignment->at[next], next));
}

/* Finds parts for thread number i of the list and all after it. */
static bool assign(struct assignment *assignment, size_t i)
{
	const struct rfs_cycle_place *place;

	if (i == assignment->n)
		return true;
	place = assignment->threads[i]->cycle;
	for (unsigned part = 0; part < place->n_parts && assignment->tries < MAX_TRIES; part++) {
		if (!(place->inner >> part & 1) || assignment->at[part])
			continue;
		assignment->tries++;
		assignment->at[part] = place;
		assignment->part[i] = part;
		if (is_fitting(assignment, part, place->n_parts) && assign(assignment, i + 1))
			return true;
		assignment->at[part] = NULL;
	}
	return false;
}

/* Gives other parts to the threads that are postponed, so that this thread finds one too. False if that is impossible.
 */
static bool change_parts(struct deadlock *deadlock, const struct rfs_view *view, const struct rfs_thread_view *thread,
			 unsigned *part)
{
	struct assignment assignment = {.threads = {thread}, .n = 1};

	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *other = &view->threads[i];

		if (deadlock_state_of(deadlock, other)->hold != HOLD_POSTPONED || !other->cycle)
			continue;
		if (assignment.n == thread->cycle->n_parts)
			return false;
		assignment.threads[assignment.n++] = other;
	}
	if (!assign(&assignment, 0))
		return false;
	for (size_t i = 1; i < assignment.n; i++)
		deadlock_state_of(deadlock, assignment.threads[i])->part = assignment.part[i];
	*part = assignment.part[0];
	return true;
}

/* Finds a part for the thread. False if there is none. */
static bool find_part(struct deadlock *deadlock, const struct rfs_view *view, const struct rfs_thread_view *thread,
		      unsigned *part)
{
	const struct rfs_cycle_place *place = thread->cycle;

	for (*part = 0; *part < place->n_parts; ++*part)
		if ((place->inner >> *part & 1) && !postponed_at(deadlock, view, *part) &&
		    deadlock_fits(deadlock, view, place, *part))
			return true;
	return change_parts(deadlock, view, thread, part);
}

static void deadlock_postpone(struct deadlock *deadlock, const struct rfs_view *view,
			      const struct rfs_thread_view *thread, unsigned part)
{
	struct locking_thread *state = deadlock_state_of(deadlock, thread);

	*state = (struct locking_thread){.hold = HOLD_POSTPONED,
					 .part = part,
					 .since = view->step,
					 .until = rfs_postponed_until(view),
					 .op = thread->next};
	if (state->until < deadlock->until)
		deadlock->until = state->until;
	deadlock->n_postponed++;
	rfs_spinning_restart(&deadlock->spinning);
}

static bool any_is_postponed(struct deadlock *deadlock, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++)
		if (deadlock_state_of(deadlock, &view->threads[i])->hold == HOLD_POSTPONED)
			return true;
	return false;
}

/* Postpones the thread at a part that it fits to. False if there is no such part. */
static bool try_to_postpone(struct deadlock *deadlock, const struct rfs_view *view,
			    const struct rfs_thread_view *thread)
{
	const struct rfs_cycle_place *place = thread->cycle;
	unsigned part;

	if (!place || !place->inner || deadlock_state_of(deadlock, thread)->hold != HOLD_FREE ||
	    !find_part(deadlock, view, thread, &part))
		return false;
	if (deadlock->skips && !any_is_postponed(deadlock, view) && rfs_rng_chance(&deadlock->rng, 1, 2))
		return false;
	deadlock_postpone(deadlock, view, thread, part);
	return true;
}

/* A thread that already waits for its inner lock is at its part, although it was never picked there. */
static void note_waiting(struct deadlock *deadlock, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++) {
		const struct rfs_thread_view *thread = &view->threads[i];
		unsigned part;

		if (!thread->cycle || !thread->cycle->inner || deadlock_state_of(deadlock, thread)->hold != HOLD_FREE ||
		    rfs_candidate_class(thread) != RFS_CANDIDATE_NONE)
			continue;
		if (find_part(deadlock, view, thread, &part))
			deadlock_postpone(deadlock, view, thread, part);
	}
}

/* If each part has a thread, lets all of them go, and returns true. A thread behind which others queue goes first. */
static bool complete(struct deadlock *deadlock, const struct rfs_view *view)
{
	const struct rfs_cycle_place *place = NULL;

	for (size_t i = 0; i < view->n_threads && !place; i++)
		if (deadlock_state_of(deadlock, &view->threads[i])->hold == HOLD_POSTPONED)
			place = view->threads[i].cycle;
	for (unsigned part = 0; place && part < place->n_parts; part++)
		if (!postponed_at(deadlock, view, part))
			return false;
	for (unsigned part = 0; place && part < place->n_parts; part++) {
		const struct rfs_thread_view *thread = postponed_at(deadlock, view, part);
		bool first = thread->cycle->behind >> part & 1;

		deadlock_set_hold(deadlock, deadlock_state_of(deadlock, thread), first ? HOLD_FIRST : HOLD_LET_GO);
	}
	deadlock->n_cycles += place != NULL;
	return place != NULL;
}

/* ---- picks ---- */

/* Whether the thread may be drawn: it is not postponed, and does not sleep for longer than the postponed ones stay. */
static bool deadlock_is_not_postponed(void *opaque, const struct rfs_thread_view *thread)
{
	struct deadlock *deadlock = opaque;

	return deadlock_state_of(deadlock, thread)->hold != HOLD_POSTPONED && rfs_is_due_by(thread, deadlock->until);
}

static bool deadlock_is_first(void *deadlock, const struct rfs_thread_view *thread)
{
	return deadlock_state_of(deadlock, thread)->hold == HOLD_FIRST && deadlock_can_move(thread);
}

static void deadlock_execute(struct deadlock *deadlock, const struct rfs_view *view,
			     const struct rfs_thread_view *thread, struct rfs_choice *out)
{
	deadlock_set_hold(deadlock, deadlock_state_of(deadlock, thread), HOLD_FREE);
	rfs_candidates_choose(&deadlock->candidates, view, thread, &deadlock->rng, out);
}

/* Makes one of the postponed threads that can run the only candidate, and lets it go. False if there are none. */
static bool deadlock_let_go(struct deadlock *deadlock, const struct rfs_view *view)
{
	struct rfs_candidates *list = &deadlock->candidates;

	rfs_candidates_all(list, view, deadlock_is_postponed, deadlock);
	if (list->n == 0)
		return false;
	list->threads[0] = list->threads[rfs_rng_below(&deadlock->rng, list->n)];
	list->n = 1;
	deadlock_set_hold(deadlock, deadlock_state_of(deadlock, list->threads[0]), HOLD_LET_GO);
	return true;
}

/* Makes the sleeping threads candidates, or lets time pass until some are. True if time passes. */
static bool deadlock_let_time_pass(struct deadlock *deadlock, const struct rfs_view *view, struct rfs_choice *out)
{
	rfs_candidates_of_class(&deadlock->candidates, view, RFS_CANDIDATE_SLEEPING, deadlock_is_not_postponed,
				deadlock);
	return deadlock->candidates.n == 0 && rfs_candidates_pass_time(&deadlock->passes, view, deadlock->until, out);
}

static bool any_can_be_let_go(struct deadlock *deadlock, const struct rfs_view *view)
{
	for (size_t i = 0; i < view->n_threads; i++)
		if (deadlock_is_postponed(deadlock, &view->threads[i]))
			return true;
	return false;
}

/* Called if no awake candidate is left. Takes the yielded threads; then the sleeping ones, or one postponed thread.
 * True if time passes, or the outside acts. */
static bool deadlock_refill(struct deadlock *deadlock, const struct rfs_view *view, struct rfs_choice *out)
{
	struct rfs_candidates *list = &deadlock->candidates;

	rfs_candidates_of_class(list, view, RFS_CANDIDATE_YIELDED, deadlock_is_not_postponed, deadlock);
	if (list->n)
		return false;
	if (deadlock->waits && any_can_be_let_go(deadlock, view)) {
		if (rfs_postponed_let_outside_act(&deadlock->n_outside, view, out) ||
		    deadlock_let_time_pass(deadlock, view, out))
			return true;
		if (list->n)
			return false;
	}
	if (deadlock_let_go(deadlock, view)) {
		deadlock->n_releases++;
		return false;
	}
	rfs_candidates_of_class(list, view, RFS_CANDIDATE_SLEEPING, deadlock_is_not_postponed, deadlock);
	return false;
}

/* The threads that run only spin. They may wait for a sleeping thread, for a postponed one, or for the outside.
 * True if time passes, or the outside acts. */
static bool deadlock_end_spinning(struct deadlock *deadlock, const struct rfs_view *view, struct rfs_choice *out)
{
	deadlock->candidates.n = 0;
	if (!any_can_be_let_go(deadlock, view)) {
		rfs_spinning_restart(&deadlock->spinning);
		return false;
	}
	if (deadlock->waits && rfs_postponed_let_outside_act(&deadlock->n_outside, view, out)) {
		deadlock->spinning.sum = 0;
		return true;
	}
	if (deadlock->waits && !deadlock->spinning.slept) {
		bool passes = deadlock_let_time_pass(deadlock, view, out);

		deadlock->spinning.sum = 0;
		if (passes || deadlock->candidates.n)
			return passes;
	}
	(void)deadlock_let_go(deadlock, view);
	deadlock_count_livelock(deadlock);
	return false;
}

/* Draws a candidate. With `yields`, a thread at an outer lock only if all candidates are. */
static size_t deadlock_draw_candidate(struct deadlock *deadlock)
{
	struct rfs_candidates *list = &deadlock->candidates;
	size_t others = 0, chosen;

	for (size_t i = 0; i < list->n && deadlock->yields; i++)
		others += !list->threads[i]->cycle || !list->threads[i]->cycle->outer;
	if (!others)
		return rfs_rng_below(&deadlock->rng, list->n);
	chosen = rfs_rng_below(&deadlock->rng, others);
	for (size_t i = 0;; i++)
		if ((!list->threads[i]->cycle || !list->threads[i]->cycle->outer) && chosen-- == 0)
			return i;
}

static int deadlock_pick(void *opaque, const struct rfs_view *view, struct rfs_choice *out)
{
	struct deadlock *deadlock = opaque;
	struct rfs_candidates *list = &deadlock->candidates;

	deadlock_refresh(deadlock, view);
	note_waiting(deadlock, view);
	(void)complete(deadlock, view);
	if (deadlock->n_first) {
		rfs_candidates_all(list, view, deadlock_is_first, deadlock);
		if (list->n) {
			deadlock_execute(deadlock, view, list->threads[0], out);
			return 0;
		}
	}
	list->n = 0;
	if (deadlock->spinning.sum >= deadlock->spin_limit && deadlock_end_spinning(deadlock, view, out))
		return 0;
	if (list->n == 0)
		rfs_candidates_awake(list, view, &deadlock->rng, deadlock_is_not_postponed, deadlock);
	for (;;) {
		size_t i;

		if (list->n == 0 && deadlock_refill(deadlock, view, out))
			return 0;
		if (list->n == 0)
			return -EINVAL; /* no thread can run: the caller must not call pick then */
		i = deadlock_draw_candidate(deadlock);
		if (!try_to_postpone(deadlock, view, list->threads[i])) {
			deadlock_execute(deadlock, view, list->threads[i], out);
			return 0;
		}
		rfs_candidates_remove(list, i);
		if (complete(deadlock, view))
			return deadlock_pick(opaque, view, out); /* nobody is postponed any more */
	}
}

static void deadlock_stats(void *opaque, void (*emit)(void *arg, const char *key, uint64_t value), void *arg)
{
	const struct deadlock *deadlock = opaque;

	emit(arg, "cycles", deadlock->n_cycles);
	emit(arg, "postponed", deadlock->n_postponed);
	emit(arg, "releases", deadlock->n_releases);
	emit(arg, rfs_policy_counter_key(RFS_COUNTER_LIVELOCKS), deadlock->n_livelocks);
}

static void deadlock_fini(void *opaque)
{
	struct deadlock *deadlock = opaque;

	rfs_candidates_release(&deadlock->candidates);
	free(deadlock->threads);
	free(deadlock);
}

const struct rfs_policy_ops rfs_policy_deadlock = {
	.abi = RFS_POLICY_ABI,
	.name = "deadlock",
	.summary = "creates one predicted deadlock (DeadlockFuzzer, PLDI 2009)",
	.flags = RFS_POLICY_NEEDS_CYCLE | RFS_POLICY_NEEDS_HEAP,
	.init = deadlock_init,
	.pick = deadlock_pick,
	.event = deadlock_event,
	.stats = deadlock_stats,
	.fini = deadlock_fini,
};
